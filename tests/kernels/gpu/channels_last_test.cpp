#include "../blocked.h"
#include "../narrow.h"
#include "catch.h"

using namespace ddlbench;

TEST_CASE("kernels with channels last equal the row-major reference", "[ops]") {
  for (const auto& kind : test::kinds()) {
    const auto device = test::device(kind.name);
    test::on_each(test::image_cases(), [&](const test::OpCase& one) {
      const bool of_rows = one.run.op->kind().starts_with("conv2d");  // in f32 without TF32, convolutions are row-major
      if (!of_rows) test::check(*device, test::channels_last(one.run, one.terms));
      if (one.run.op->kind() == "cast") return;
      test::check(*device, test::channels_last(test::narrow_case(one, graph::DType::bf16).narrow, one.terms));
    });
  }
}
