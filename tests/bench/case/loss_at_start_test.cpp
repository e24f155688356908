#include "loss_at_start.h"

#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;

TEST_CASE("A transformer's initial loss is as expected, with fused and separate head", "[case]") {
  for (const bool fused : {false, true}) {
    const OptionValues options{
        {"layers", std::int64_t{2}}, {"heads", std::int64_t{4}}, {"hidden", std::int64_t{64}}, {"fused_head", fused}};
    INFO((fused ? "fused" : "apart"));
    CHECK(loss_at_start("tiny-gpt", options, 3000, 32, 8) == Approx(expected_at_start(3000, 64)).margin(0.05));
  }
}
