#include <cmath>
#include <limits>

#include "catch.h"
#include "low_rank_cases.h"

using namespace ddlbench;
using test::HostTensor;

namespace {

HostTensor flat(std::vector<float> values) {
  const auto size = static_cast<std::int64_t>(values.size());
  return {{{size}, graph::DType::f32}, std::move(values)};
}

std::vector<HostTensor> run_op(kernels::Device& device, graph::OpPtr op, std::vector<HostTensor> inputs) {
  return test::run(device, {std::move(op), std::move(inputs), {}});
}

HostTensor sum_of(const std::vector<HostTensor>& all) {
  HostTensor sum = all[0];
  for (std::size_t r = 1; r < all.size(); ++r)
    for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += all[r].values[i];
  return sum;
}

/// What the ranks of a step have: equal decoded gradients and Q, and residuals of their own.
struct Step {
  HostTensor decoded, q;
  std::vector<HostTensor> residuals;
};

/// Computes a step of several ranks.
Step step_of(kernels::Device& device, const graph::LowRankLayout& layout, const std::vector<HostTensor>& gradients,
             const std::vector<HostTensor>& residuals, const HostTensor& q) {
  const int ranks = static_cast<int>(gradients.size());
  std::vector<HostTensor> sums, m, qs;
  for (std::size_t r = 0; r < gradients.size(); ++r) {
    auto made = run_op(device, std::make_shared<graph::LowRankProject>(layout), {gradients[r], residuals[r], q});
    sums.push_back(made[0]), m.push_back(made[1]);
  }
  HostTensor sum = sum_of(sums);
  const auto p_end = sum.values.begin() + static_cast<std::ptrdiff_t>(layout.p_elements());
  const HostTensor p =
      run_op(device, std::make_shared<graph::LowRankOrthogonalise>(layout), {flat({sum.values.begin(), p_end})})[0];
  std::copy(p.values.begin(), p.values.end(), sum.values.begin());
  for (const HostTensor& one : m)
    qs.push_back(run_op(device, std::make_shared<graph::LowRankProjectBack>(layout, ranks), {one, p, q})[0]);
  Step step;
  step.q = sum_of(qs);
  for (const HostTensor& one : m) {
    auto made = run_op(device, std::make_shared<graph::LowRankReconstruct>(layout, ranks), {sum, step.q, one});
    step.decoded = made[0];
    step.residuals.push_back(made[1]);
  }
  return step;
}

std::vector<HostTensor> of_ranks(int ranks, std::int64_t elements, const std::string& name) {
  std::vector<HostTensor> all;
  for (int rank = 0; rank < ranks; ++rank)
    all.push_back(test::random_tensor({elements}, name + " " + std::to_string(rank)));
  return all;
}

}  // namespace

// M = (1 2; 3 4; 0 −2), Q = (1, 1): P = (3, 7, −2), whose norm is √62. Behind the matrix is a vector of one element.
TEST_CASE("a step of PowerSGD computes the numbers of its definition") {
  const graph::LowRankLayout layout{7, 1, {{0, 3, 2}}};
  for (const auto& device : test::every_device()) {
    CAPTURE(device->kind());
    const auto projected = run_op(*device, std::make_shared<graph::LowRankProject>(layout),
                                  {flat({1, 1, 3, 3, 0, -2, 5}), flat({0, 1, 0, 1, 0, 0, 0}), flat({1, 1})});
    CHECK(projected[0].values == std::vector<float>{3, 7, -2, 5});
    CHECK(projected[1].values == std::vector<float>{1, 2, 3, 4, 0, -2, 5});
    const auto p = run_op(*device, std::make_shared<graph::LowRankOrthogonalise>(layout), {flat({3, 7, -2})})[0];
    const double norm = std::sqrt(62.0);
    for (std::size_t i = 0; i < 3; ++i) CHECK(p.values[i] == Approx(projected[0].values[i] / norm));
    const auto q =
        run_op(*device, std::make_shared<graph::LowRankProjectBack>(layout, 2), {projected[1], p, flat({1, 1})})[0];
    CHECK(q.values[0] == Approx(24 / norm));
    CHECK(q.values[1] == Approx(38 / norm));
    HostTensor sums = projected[0];
    std::copy(p.values.begin(), p.values.end(), sums.values.begin());
    const auto made = run_op(*device, std::make_shared<graph::LowRankReconstruct>(layout, 2), {sums, q, projected[1]});
    CHECK(made[0].values[2] == Approx(7 * 24 / 62.0));
    CHECK(made[1].values[2] == Approx(3 - 7 * 24 / 62.0 / 2));
    CHECK(made[0].values[6] == 5);
    CHECK(made[1].values[6] == 0);
  }
}

TEST_CASE("at full rank, PowerSGD sums the gradients of all ranks, to rounding") {
  const graph::LowRankLayout layout{230, 6, {{0, 6, 20}, {130, 10, 6}}};
  for (const auto& device : test::every_device())
    for (const int ranks : {1, 3}) {
      CAPTURE(device->kind(), ranks);
      const auto gradients = of_ranks(ranks, layout.elements, "gradient");
      const std::vector<HostTensor> none(gradients.size(), test::zeros(gradients[0].type));
      const Step step = step_of(*device, layout, gradients, none, test::random_tensor({layout.q_elements()}, "q"));
      const HostTensor sum = sum_of(gradients);
      CHECK(test::largest_error(step.decoded, sum, 1.0) < 1e-5);
    }
}

// So nothing is lost: it is in the residuals.
TEST_CASE("the decoded gradient and the residuals of all ranks add up to their gradients and residuals") {
  for (const graph::LowRankLayout& layout : test::low_rank_layouts()) {
    const auto gradients = of_ranks(3, layout.elements, "gradient");
    std::vector<HostTensor> residuals = of_ranks(3, layout.elements, "residual");
    for (HostTensor& residual : residuals)
      for (const graph::Extent& vector : layout.vectors())
        std::fill(residual.values.begin() + vector.begin, residual.values.begin() + vector.end, 0.0F);
    const HostTensor sent[] = {sum_of(gradients), sum_of(residuals)};
    for (const auto& device : test::every_device()) {
      CAPTURE(device->kind(), layout.elements, layout.rank);
      const Step step = step_of(*device, layout, gradients, residuals, test::random_tensor({layout.q_elements()}, "q"));
      const HostTensor left = sum_of(step.residuals);
      HostTensor all = step.decoded, wanted = sent[0];
      for (std::size_t i = 0; i < all.values.size(); ++i)
        all.values[i] += left.values[i], wanted.values[i] += sent[1].values[i];
      CHECK(test::largest_error(all, wanted, 1.0) < 1e-5);
    }
  }
}

TEST_CASE("columns become orthonormal, also if they are nearly dependent") {
  const graph::LowRankLayout layout{40 * 50, 3, {{0, 40, 50}}};
  HostTensor p = test::random_tensor({120}, "p");
  for (std::size_t i = 0; i < 40; ++i) p.values[40 + i] = p.values[i] + 0.01F * p.values[40 + i];
  for (const auto& device : test::every_device()) {
    CAPTURE(device->kind());
    const auto made = run_op(*device, std::make_shared<graph::LowRankOrthogonalise>(layout), {p})[0].values;
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = 0; l <= k; ++l) {
        double product = 0;
        for (std::size_t i = 0; i < 40; ++i) product += double{made[40 * k + i]} * double{made[40 * l + i]};
        CHECK(product == Approx(k == l ? 1 : 0).margin(1e-5));
      }
  }
}

TEST_CASE("a column that depends on others is dropped for a step, and keeps its Q") {
  const graph::LowRankLayout layout{12 * 20, 3, {{0, 12, 20}}};
  HostTensor p = test::random_tensor({36}, "p");
  for (std::size_t i = 0; i < 12; ++i) p.values[12 + i] = -3 * p.values[i], p.values[24 + i] = 0;
  const HostTensor m = test::random_tensor({240}, "m"), q = test::random_tensor({60}, "q");
  for (const auto& device : test::every_device()) {
    CAPTURE(device->kind());
    const auto made = run_op(*device, std::make_shared<graph::LowRankOrthogonalise>(layout), {p})[0];
    for (std::size_t i = 12; i < 36; ++i) CHECK(made.values[i] == 0);
    const auto back = run_op(*device, std::make_shared<graph::LowRankProjectBack>(layout, 4), {m, made, q})[0];
    for (std::size_t i = 20; i < 60; ++i) CHECK(back.values[i] == q.values[i] / 4);
    CHECK(back.values[0] != q.values[0] / 4);
  }
}

TEST_CASE("PowerSGD never loses NaN or infinity") {
  const graph::LowRankLayout layout{31 * 20, 2, {{0, 31, 20}}};
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<HostTensor> gradients = of_ranks(2, layout.elements, "gradient");
    const std::vector<HostTensor> none(2, test::zeros(gradients[0].type));
    gradients[1].values[333] = bad;
    for (const auto& device : test::every_device()) {
      CAPTURE(device->kind(), bad);
      const Step step = step_of(*device, layout, gradients, none, test::random_tensor({layout.q_elements()}, "q"));
      CHECK_FALSE(std::isfinite(step.decoded.values[333]));
    }
  }
}

TEST_CASE("the ops of PowerSGD work in place") {
  for (const auto& device : test::every_device())
    for (const graph::LowRankLayout& layout : test::low_rank_layouts()) {
      CAPTURE(device->kind(), layout.elements, layout.rank);
      const HostTensor g = test::random_tensor({layout.elements}, "g"), m = test::random_tensor({layout.elements}, "m");
      const HostTensor p = test::random_tensor({layout.p_elements()}, "p");
      const HostTensor q = test::random_tensor({layout.q_elements()}, "q");
      const HostTensor sums = test::random_tensor({layout.sum_elements()}, "sums");
      const std::vector<test::Run> runs{
          {std::make_shared<graph::LowRankProject>(layout), {g, m, q}, {}, false, {}, {{1, 1}}},
          {std::make_shared<graph::LowRankOrthogonalise>(layout), {p}, {}, false, {}, {{0, 0}}},
          {std::make_shared<graph::LowRankProjectBack>(layout, 3), {m, p, q}, {}, false, {}, {{0, 2}}},
          {std::make_shared<graph::LowRankReconstruct>(layout, 3), {sums, q, m}, {}, false, {}, {{1, 2}}}};
      for (const test::Run& in_place : runs) {
        test::Run apart = in_place;
        apart.in_place.clear();
        const auto expected = test::run(*device, apart), found = test::run(*device, in_place);
        for (std::size_t o = 0; o < expected.size(); ++o) CHECK(found[o].values == expected[o].values);
      }
    }
}

TEST_CASE("PowerSGD's results do not depend on the number of threads") {
  const auto one = test::device("cpu", 1), several = test::device("cpu", 3);
  for (const graph::LowRankLayout& layout : test::low_rank_layouts()) {
    const auto gradients = of_ranks(2, layout.elements, "gradient"), residuals = of_ranks(2, layout.elements, "left");
    const HostTensor q = test::random_tensor({layout.q_elements()}, "q");
    const Step a = step_of(*one, layout, gradients, residuals, q),
               b = step_of(*several, layout, gradients, residuals, q);
    CHECK(a.decoded.values == b.decoded.values);
    CHECK(a.q.values == b.q.values);
    CHECK(a.residuals[1].values == b.residuals[1].values);
  }
}
