#include "host_memory.h"

#include "bench/case/process_memory.h"
#include "kernels/heap.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("what is resident in training is what is planned, and a little", "[case]") {
  require_no_more_than_planned(whole_model("lenet", {}, images("1x28x28", 10, 128), 64));
  require_no_more_than_planned(whole_model("mlp", {}, images("1x28x28", 10, 128), 64));
  require_no_more_than_planned(
      whole_model("tiny-gpt", {{"layers", std::int64_t{2}}, {"hidden", std::int64_t{64}}, {"heads", std::int64_t{2}}},
                  tokens(16, 64, 16), 8));
}

TEST_CASE("the peak of what is resident begins anew") {
  if (!kernels::heap_is_counted()) return test::skip("what is resident is a sanitizer's");
  if (!begin_resident_peak()) return test::skip("the system does not let the peak of what is resident begin anew");
  constexpr std::int64_t bytes = 64 << 20;
  const std::int64_t before = resident_bytes();
  CHECK(before > 0);
  std::vector<char>(bytes, 'x');
  CHECK(resident_peak_bytes() >= before + bytes / 2);
  begin_resident_peak();
  CHECK(resident_peak_bytes() < before + bytes / 2);
}
