#include "platform/resident_memory.h"

#include <vector>

#include "catch.h"
#include "platform/heap.h"
#include "skip.h"

using namespace ddlbench;
using namespace ddlbench::platform;

TEST_CASE("the peak of resident memory can be reset") {
  if (!heap_is_counted()) return test::skip("what is resident is a sanitizer's");
  if (!reset_resident_peak()) return test::skip("the system does not let the peak of what is resident begin anew");
  constexpr std::int64_t bytes = 64 << 20;
  const std::int64_t before = resident_bytes();
  CHECK(before > 0);
  std::vector<char>(bytes, 'x');
  CHECK(resident_peak_bytes() >= before + bytes / 2);
  reset_resident_peak();
  CHECK(resident_peak_bytes() < before + bytes / 2);
}
