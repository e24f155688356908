#include "graph/ops/readiness.h"

#include <cmath>

#include "catch.h"
#include "harness.h"

using namespace ddlbench;

TEST_CASE("a tensor that is ready in no cycle makes a gradient NaN, and any other leaves it as it is") {
  constexpr std::int64_t tensors = 200, cycles = 3;
  for (const auto& device : test::every_device())
    for (const graph::DType dtype : {graph::DType::f32, graph::DType::bf16, graph::DType::f16})
      for (const std::int64_t missing : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{131}, tensors - 1}) {
        CAPTURE(graph::name(dtype), missing);
        test::HostTensor marks{{{cycles * tensors}, graph::DType::u8}, {}};
        marks.values.assign(cycles * tensors, 1);
        for (std::int64_t i = 0; i < tensors; ++i)
          if (i != missing) marks.values[static_cast<std::size_t>(i % cycles * tensors + i)] = 0;
        const test::HostTensor x{{{1}, dtype}, {0.375F}};
        test::Run run{std::make_shared<graph::ConfirmReady>(tensors), {marks, x}, {}};
        run.in_place = {{0, 1}};
        const float result = test::run(*device, run).front().values.front();
        CHECK(std::isnan(result) == (missing >= 0));
        if (missing < 0) CHECK(result == 0.375F);
      }
}

TEST_CASE("mark_ready marks only the tensors that are ready") {
  for (const auto& device : test::every_device()) {
    const test::Run run{std::make_shared<graph::MarkReady>(5, graph::Extent{1, 3}), {}, {}};
    CHECK(test::run(*device, run).front().values == std::vector<float>{1, 0, 0, 1, 1});
  }
}
