#include "../case/loss_at_start.h"
#include "catch.h"

using namespace ddlbench::bench;

// With 1024 labels, the standard deviation of the mean is about 0.55 / 32 = 0.017.
TEST_CASE("GPT-2 small's initial loss is ln 50257 + 768·0.02²/2") {
  CHECK(loss_at_start("gpt2-small", {}, 50257, 128, 8) == Approx(expected_at_start(50257, 768)).margin(0.05));
}
