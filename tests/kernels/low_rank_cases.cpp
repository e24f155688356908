#include "low_rank_cases.h"

#include <algorithm>

namespace ddlbench::test {
namespace {

/// Sums of so many terms as the longest of a row, a column or a reconstructed element.
double longest(const graph::LowRankLayout& layout) {
  std::int64_t terms = layout.rank + 2;
  for (const graph::BucketMatrix& matrix : layout.matrices) terms = std::max({terms, matrix.rows, matrix.columns});
  return static_cast<double>(terms);
}

}  // namespace

std::vector<graph::LowRankLayout> low_rank_layouts() {
  const auto matrix = [](std::int64_t begin, std::int64_t rows, std::int64_t columns) {
    return graph::BucketMatrix{begin, rows, columns};
  };
  std::vector<graph::LowRankLayout> layouts{{0, 1, {}},
                                            {2051, 2, {}},
                                            {40, 1, {matrix(0, 8, 5)}},
                                            {3000, 1, {matrix(3, 40, 33), matrix(1400, 7, 200)}},
                                            {70000, 4, {matrix(20, 30, 2100), matrix(63020, 64, 100)}}};
  for (const int rank : {2, 3, 5, 9}) layouts.push_back({1600, rank, {matrix(10, 20, 37), matrix(750, 37, 20)}});
  graph::LowRankLayout many{0, 1, {}};
  for (int i = 0; i < 60; ++i) many.matrices.push_back(matrix(many.elements + 1, 3, 4)), many.elements += 14;
  layouts.push_back(many);
  return layouts;
}

HostTensor low_rank_factor(std::int64_t elements, const std::string& name) {
  return random_tensor({elements}, name);
}

void add_low_rank_reconstructs(Cases& cases, graph::DType to) {
  for (const graph::LowRankLayout& layout : low_rank_layouts())
    for (const int ranks : {1, 3})
      cases.add(std::make_shared<graph::LowRankReconstruct>(layout, ranks, to),
                {random_tensor({layout.sum_elements()}, "sums"), low_rank_factor(layout.q_elements(), "q"),
                 random_tensor({layout.elements}, "m")},
                layout.rank + 2);
}

void add_low_rank(Cases& cases) {
  for (const graph::LowRankLayout& layout : low_rank_layouts()) {
    const HostTensor m = random_tensor({layout.elements}, "m"), residual = random_tensor({layout.elements}, "residual");
    const HostTensor p = low_rank_factor(layout.p_elements(), "p"), q = low_rank_factor(layout.q_elements(), "q");
    cases.add(std::make_shared<graph::LowRankProject>(layout), {m, residual, q}, longest(layout));
    cases.add(std::make_shared<graph::LowRankOrthogonalise>(layout), {p}, 40);
    cases.add(std::make_shared<graph::LowRankProjectBack>(layout, 3), {m, p, q}, longest(layout));
  }
  add_low_rank_reconstructs(cases, graph::DType::f32);
}

}  // namespace ddlbench::test
