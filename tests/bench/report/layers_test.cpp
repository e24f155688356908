#include "bench/report/layers.h"

#include "../case/exact_models.h"
#include "catch.h"

using namespace ddlbench;

TEST_CASE("a head that training makes in one op has its forward pass apart, and two products in the backward one") {
  const auto layers = bench::layers_of(test::text(2, true));
  const bench::Layer& head = layers.back();
  REQUIRE(head.op == "head_loss");
  const double product = 2.0 * 2 * test::text_positions * test::model_classes * 8;
  CHECK(head.forward_flops > product);
  CHECK(head.forward_flops < 2 * product);
  CHECK(head.backward_input_flops > 2 * product);
  CHECK(head.backward_input_flops < 4 * product);
  CHECK(head.backward_weight_flops == 0);
}
