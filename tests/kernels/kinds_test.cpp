#include "base/error.h"
#include "catch.h"
#include "harness.h"

using namespace ddlbench;

TEST_CASE("a kind without devices states the reason and makes none") {
  for (const auto& kind : kernels::device_kinds()) {
    CAPTURE(kind.name);
    const auto count = kind.count();
    CHECK((count.devices > 0) == count.why_none.empty());
    if (count.devices > 0) continue;
    CHECK(count.why_none.find('\n') == std::string::npos);
    std::string error;
    try {
      test::device(kind.name);
    } catch (const InputError& refused) {
      error = refused.what();
    }
    CHECK(error.find(count.why_none) != std::string::npos);
  }
}

TEST_CASE("kinds that are not tested here are reported") {
  const auto cuda = kernels::device_kinds().back();
  REQUIRE(cuda.name == "cuda");
  const auto count = cuda.count();
  WARN("devices of kind cuda are tested under the label gpu; "
       << (count.devices > 0 ? "there are some" : count.why_none));
  CHECK(test::kinds().size() + 1 == kernels::device_kinds().size());
}
