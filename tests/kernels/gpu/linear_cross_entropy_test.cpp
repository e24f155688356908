#include "graph/ops/loss.h"

#include "../harness.h"
#include "catch.h"

using namespace ddlbench;

TEST_CASE("a fused linear cross-entropy of several chunks equals the reference on a GPU") {
  // 4096 features are 32 columns of tiles, so a chunk has 128 rows for every 32 multiprocessors.
  constexpr int rows = 1500, hidden = 4096, classes = 37;
  std::vector<int> of_rows;
  for (int i = 0; i < rows; ++i) of_rows.push_back(i % 9 == 8 ? -1 : i % classes);
  const auto oracle = test::device("reference");
  for (const auto dtype : {graph::DType::f32, graph::DType::bf16, graph::DType::f16}) {
    auto x = test::random_tensor({rows, hidden}, "x", -0.1f, 0.1f), w = test::random_tensor({classes, hidden}, "w");
    x.type.dtype = w.type.dtype = dtype;
    test::Run run{std::make_shared<graph::LinearCrossEntropyAndGradients>(0.1f), {x, w, test::labels(of_rows)}, {}};
    run.scalars.inverse_count = 1;
    const auto expected = test::run(*oracle, run);
    for (const auto& kind : test::other_kinds()) {
      CAPTURE(kind, graph::name(dtype));
      // With 16-bit operands, intermediate logits of up to about 8 are rounded.
      const double roundoff = dtype == graph::DType::f32 ? 1e-5 : dtype == graph::DType::bf16 ? 0x1p-8 : 0x1p-11;
      const auto made = test::run(*test::device(kind), run);
      for (const std::size_t o : {0, 3, 4}) CHECK(test::largest_error(made[o], expected[o], 1) <= 16 * roundoff);
    }
  }
}
