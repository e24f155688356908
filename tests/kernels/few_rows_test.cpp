#include <array>
#include <cmath>
#include <limits>

#include "catch.h"
#include "graph/ops/linear.h"
#include "harness.h"
#include "narrow.h"

using namespace ddlbench;
using graph::DType;

namespace {

std::vector<test::HostTensor> run_few_rows(kernels::Device& device, const test::Run& what) {
  return test::run_candidate(device, "few rows", what);
}

struct Layer {
  std::int64_t rows, in, out;
};

/// Sizes with and without whole vectors, from one row to the maximum, up to more than is written past the caches.
constexpr std::array<Layer, 7> layers{
    {{1, 2048, 131}, {2, 1031, 1040}, {3, 517, 640}, {4, 16, 16400}, {8, 1031, 257}, {13, 4096, 260}, {16, 1000, 300}}};

std::vector<test::OpCase> few_row_cases(const Layer& z) {
  const auto x = test::random_tensor({z.rows, z.in}, "x"), w = test::random_tensor({z.out, z.in}, "w"),
             b = test::random_tensor({z.out}, "b"), dz = test::random_tensor({z.rows, z.out}, "dz");
  std::vector<test::OpCase> cases{
      {"forward", {std::make_shared<graph::Linear>(false, graph::Activation::none), {x, w}, {}}, double(z.in)},
      {"forward, bias", {std::make_shared<graph::Linear>(true, graph::Activation::none), {x, w, b}, {}}, z.in + 1.0},
      {"forward, relu", {std::make_shared<graph::Linear>(true, graph::Activation::relu), {x, w, b}, {}}, z.in + 1.0},
      {"inputs' gradients", {std::make_shared<graph::LinearBackwardInput>(), {dz, w}, {}}, double(z.out)},
      {"weights' gradients", {std::make_shared<graph::LinearBackwardWeight>(false), {x, dz}, {}}, double(z.rows)},
      {"weights' and bias'", {std::make_shared<graph::LinearBackwardWeight>(true), {x, dz}, {}}, double(z.rows)}};
  for (std::size_t i = 0, plain = cases.size(); i < plain; ++i) {
    cases.push_back(test::added(cases[i]));
    cases.back().terms += 1;
  }
  return cases;
}

}  // namespace

TEST_CASE("a linear layer of few rows equals the reference, with the same bits on any number of threads") {
  const auto oracle = test::device("reference");
  for (const Layer& layer : layers) {
    for (const auto& one : few_row_cases(layer)) {
      CAPTURE(one.name, layer.rows, layer.in, layer.out);
      const auto expected = test::run(*oracle, one.run);
      std::vector<std::vector<test::HostTensor>> results;
      for (const int threads : {1, 2, 3}) results.push_back(run_few_rows(*test::device("cpu", threads), one.run));
      test::check_close(results[0], expected, test::tolerance(one.terms));
      for (const auto& result : results)
        for (std::size_t o = 0; o < result.size(); ++o) CHECK((result[o].values == results[0][o].values));
    }
  }
}

TEST_CASE("a linear layer of few bf16 rows equals that in f32, rounded once") {
  const auto oracle = test::device("reference"), device = test::device("cpu", 2);
  for (const Layer& layer : layers) {
    for (const auto& one : few_row_cases(layer)) {
      CAPTURE(one.name, layer.rows, layer.in, layer.out);
      const auto both = test::narrow_case(one, DType::bf16);
      const auto expected = test::run(*oracle, both.wide);
      test::check_close(run_few_rows(*device, both.narrow), expected,
                        test::tolerance(one.terms) + test::unit_roundoff(DType::bf16));
      if (expected.size() > 1) continue;
      test::Run wide_results = both.narrow;
      wide_results.output_types = {expected[0].type};
      wide_results.initial_outputs = both.wide.initial_outputs;
      if (one.name.starts_with("inputs'")) continue;  // always of the type of its operands
      test::check_close(run_few_rows(*device, wide_results), expected, test::tolerance(one.terms));
    }
  }
}

TEST_CASE("a linear layer of few rows computes the same at addresses without vector alignment") {
  const auto device = test::device("cpu", 2);
  for (const auto& one : few_row_cases({8, 4096, 260})) {
    CAPTURE(one.name);
    test::Run shifted = one.run;
    shifted.shift = sizeof(float);
    const auto expected = run_few_rows(*device, one.run), actual = run_few_rows(*device, shifted);
    for (std::size_t o = 0; o < actual.size(); ++o) CHECK((actual[o].values == expected[o].values));
  }
}

TEST_CASE("a linear layer of few rows propagates NaN and infinity") {
  const auto device = test::device("cpu", 2);
  auto x = test::random_tensor({2, 1031}, "x");
  x.values[1031 + 1030] = std::numeric_limits<float>::quiet_NaN();
  const auto relu = std::make_shared<graph::Linear>(false, graph::Activation::relu);
  const auto y = run_few_rows(*device, {relu, {x, test::random_tensor({260, 1031}, "w")}, {}})[0];
  for (std::size_t o = 0; o < 260; ++o) {
    CHECK(std::isfinite(y.values[o]));
    CHECK(std::isnan(y.values[260 + o]));
  }
}
