#include "bench/report/layers.h"

#include "../case/exact_models.h"
#include "catch.h"

using namespace ddlbench;

TEST_CASE("a head fused with its loss has forward FLOPs of its own, and two products in the backward pass") {
  const auto layers = bench::layers_of(test::text(2, true));
  const bench::Layer& head = layers.back();
  REQUIRE(head.op == "linear_cross_entropy");
  const double product = 2.0 * 2 * test::text_positions * test::model_classes * 8;
  CHECK(head.forward_flops > product);
  CHECK(head.forward_flops < 2 * product);
  CHECK(head.backward_input_flops > 2 * product);
  CHECK(head.backward_input_flops < 4 * product);
  CHECK(head.backward_weight_flops == 0);
}
