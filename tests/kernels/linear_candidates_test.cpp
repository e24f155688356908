#include <algorithm>
#include <array>

#include "catch.h"
#include "graph/ops/linear.h"
#include "harness.h"
#include "kernels/cpu/onednn.h"
#include "narrow.h"

using namespace ddlbench;
using graph::DType;

namespace {

std::vector<test::OpCase> gradient_cases(std::int64_t rows, std::int64_t in, std::int64_t out) {
  const auto x = test::random_tensor({rows, in}, "x"), w = test::random_tensor({out, in}, "w"),
             dz = test::random_tensor({rows, out}, "dz");
  std::vector<test::OpCase> cases{
      {"inputs' gradients", {std::make_shared<graph::LinearBackwardInput>(), {dz, w}, {}}, double(out)},
      {"weights' gradients", {std::make_shared<graph::LinearBackwardWeight>(false), {x, dz}, {}}, double(rows)},
      {"weights' and bias'", {std::make_shared<graph::LinearBackwardWeight>(true), {x, dz}, {}}, double(rows)}};
  for (std::size_t i = 0, plain = cases.size(); i < plain; ++i) {
    cases.push_back(test::added(cases[i]));
    cases.back().terms += 1;
  }
  return cases;
}

}  // namespace

TEST_CASE("every candidate for the gradients of a linear layer equals the reference") {
  const auto oracle = test::device("reference");
  for (const auto& [rows, in, out] : std::vector<std::array<std::int64_t, 3>>{{33, 512, 70}, {1, 31, 5}, {40, 7, 1}})
    for (const auto& one : gradient_cases(rows, in, out)) {
      const auto expected = test::run(*oracle, one.run);
      for (const std::string candidate : {"product", "product, packed right", "gemm"}) {
        for (const int threads : {1, 2}) {
          CAPTURE(one.name, rows, candidate, threads);
          test::check_close(test::run_candidate(*test::device("cpu", threads), candidate, one.run), expected,
                            test::tolerance(one.terms));
        }
      }
    }
}

TEST_CASE("every candidate for the bf16 gradients of a linear layer equals that in f32, rounded once") {
  if (!kernels::cpu::onednn::multiplies_bf16()) return;  // oneDNN may have no bf16 products then
  const auto oracle = test::device("reference"), device = test::device("cpu", 2);
  constexpr std::int64_t in = 512;  // rows of 1 KiB, which can be padded
  for (const auto& one : gradient_cases(33, in, 70)) {
    const auto both = test::narrow_case(one, DType::bf16);
    const auto expected = test::run(*oracle, both.wide);
    for (const std::string candidate : {"product", "product, packed right", "product, padded right"}) {
      CAPTURE(one.name, candidate);
      test::check_close(test::run_candidate(*device, candidate, both.narrow), expected,
                        test::tolerance(one.terms) + test::unit_roundoff(DType::bf16));
    }
  }
}

TEST_CASE("a product whose rows are no multiple of 1 KiB has no candidate with padded rows") {
  using namespace kernels::cpu::onednn;
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  for (const std::int64_t columns : {256, 255, 260}) {
    CAPTURE(columns);
    Product product{8, 16, columns, {0, false}, {1, false}};
    product.right_layout = FactorLayout::padded;
    const auto prepared = matrix_product(engine, product, {});
    REQUIRE(prepared.has_value() == (columns == 256));
    if (prepared) CHECK(prepared->inputs[1].wanted.data.format_desc.blocking.strides[0] == 256 + 16);
  }
}

TEST_CASE("the times of an op's candidates are reported with the chosen one") {
  const auto device = test::device("cpu", 1);
  device->choices()->take_chosen();
  const test::Run unique{std::make_shared<graph::LinearBackwardInput>(),
                         {test::random_tensor({29, 71}, "dz"), test::random_tensor({71, 512}, "w")},
                         {}};
  test::run(*device, unique);
  const auto chosen = device->choices()->take_chosen();
  REQUIRE(chosen.size() == 1);
  const auto& [work, choice] = *chosen.begin();
  CHECK(work.starts_with("linear_backward_input"));
  CHECK(choice.timed.size() >= 2);
  CHECK(std::any_of(choice.timed.begin(), choice.timed.end(),
                    [&](const auto& timed) { return timed.candidate == choice.candidate && timed.seconds > 0; }));
}
