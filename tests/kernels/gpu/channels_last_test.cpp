#include "../blocked.h"
#include "../narrow.h"
#include "catch.h"

using namespace ddlbench;

TEST_CASE("what takes channels that lie last makes of them what the reference makes of rows") {
  for (const auto& kind : test::kinds()) {
    const auto device = test::device(kind.name);
    for (const test::OpCase& one : test::image_cases()) {
      const bool of_rows = one.run.op->kind().starts_with("conv2d");  // in f32, which is in rows without TF32
      if (!of_rows) test::check(*device, test::channels_last(one.run, one.terms));
      if (one.run.op->kind() == "cast") continue;
      test::check(*device, test::channels_last(test::narrow_case(one, graph::DType::bf16).narrow, one.terms));
    }
  }
}
