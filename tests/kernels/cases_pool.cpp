#include <algorithm>
#include <random>

#include "case_list.h"
#include "graph/ops/pool.h"

namespace ddlbench::test {
namespace {

struct Pool {
  graph::Shape x;
  graph::PoolAttributes geometry;
};

struct AdaptivePool {
  graph::Shape x;
  std::int64_t height, width;
};

/// Windows of every kind beside those drawn: tiles, rims, one place, rows longer than any buffer, windows that are
/// almost all padding.
std::vector<Pool> pools() {
  std::vector<Pool> all{{{2, 3, 8, 8}, {2, 2}},       {{1, 1, 7, 9}, {2, 2}},       {{2, 2, 9, 70}, {3, 2}},
                        {{1, 5, 1, 1}, {1, 1}},       {{1, 2, 6, 6}, {2, 3}},       {{4, 6, 24, 80}, {2, 2}},
                        {{0, 2, 4, 4}, {2, 2}},       {{1, 1, 16, 16}, {16, 1}},    {{1, 5, 1, 1}, {3, 1, 1}},
                        {{2, 2, 6, 1100}, {3, 1, 1}}, {{2, 1, 3, 1030}, {3, 2, 1}}, {{1, 1, 8, 8}, {2, 2, 1}}};
  std::mt19937 draw(7);
  const auto up_to = [&draw](int most) { return 1 + static_cast<int>(draw() % static_cast<unsigned>(most)); };
  while (all.size() < 40) {
    const int kernel = up_to(6), padding = up_to(kernel) - 1;
    const graph::PoolAttributes geometry{kernel, up_to(4), padding};
    const graph::Shape x{up_to(3), up_to(7), up_to(13), up_to(13)};
    if (std::min(x[2], x[3]) + 2 * padding >= kernel) all.push_back({x, geometry});
  }
  return all;
}

/// Windows of equal and of unequal sizes, of single places, and more of them than places.
std::vector<AdaptivePool> adaptive_pools() {
  std::vector<AdaptivePool> all{{{2, 3, 7, 7}, 1, 1},   {{3, 2, 8, 12}, 1, 1}, {{2, 3, 7, 7}, 7, 7},
                                {{1, 2, 3, 2}, 7, 5},   {{1, 5, 1, 1}, 3, 3},  {{0, 2, 4, 4}, 2, 2},
                                {{1, 1, 60, 70}, 1, 1}, {{2, 2, 13, 13}, 6, 6}};
  std::mt19937 draw(8);
  const auto up_to = [&draw](int most) { return 1 + static_cast<int>(draw() % static_cast<unsigned>(most)); };
  while (all.size() < 28) {
    const graph::Shape x{up_to(3), up_to(7), up_to(13), up_to(13)};
    all.push_back({x, up_to(15), up_to(15)});
  }
  return all;
}

/// Places of windows, all in the image, by no rule.
HostTensor any_argmax(const Pool& pool, const graph::TensorType& type) {
  const auto& [kernel, stride, padding] = pool.geometry;
  const auto place = [kernel = kernel, stride = stride, padding = padding](std::int64_t window, std::int64_t size,
                                                                           std::int64_t any) {
    const std::int64_t hidden = padding - window * stride, begin = std::max<std::int64_t>(0, hidden);
    return begin + any % (std::min<std::int64_t>(kernel, size + hidden) - begin);
  };
  HostTensor argmax = zeros(type);
  for (std::int64_t i = 0; i < graph::elements(type.shape); ++i) {
    const std::int64_t q = i % type.shape[3], p = i / type.shape[3] % type.shape[2];
    const std::int64_t within = place(p, pool.x[2], i * 7) * kernel + place(q, pool.x[3], i * 5);
    argmax.values[static_cast<std::size_t>(i)] = static_cast<float>(within);
  }
  return argmax;
}

void add_max_pool(Cases& cases, const Pool& pool) {
  const auto op = std::make_shared<graph::MaxPool2d>(pool.geometry);
  auto x = random_tensor(pool.x, "x");
  if (!x.values.empty()) x.values[1 % x.values.size()] = x.values[0];  // equals: the first counts
  cases.add(op, {x}, 1);
  for (float& value : x.values) value -= 2;  // padding is never the largest
  cases.add(op, {x}, 1);
  const auto types = op->infer(std::vector<graph::TensorType>{x.type});
  cases.add_both(std::make_shared<graph::MaxPool2dBackward>(pool.geometry, pool.x[2], pool.x[3]),
                 {random_tensor(types[0].shape, "dy"), any_argmax(pool, types[1])},
                 pool.geometry.kernel * pool.geometry.kernel + 1);
}

void add_average_pool(Cases& cases, const Pool& pool) {
  const double terms = pool.geometry.kernel * pool.geometry.kernel + 1;
  const auto op = std::make_shared<graph::AveragePool2d>(pool.geometry);
  const auto x = random_tensor(pool.x, "x");
  cases.add_both(op, {x}, terms);
  const auto y = op->infer(std::vector<graph::TensorType>{x.type})[0];
  cases.add_both(std::make_shared<graph::AveragePool2dBackward>(pool.geometry, pool.x[2], pool.x[3]),
                 {random_tensor(y.shape, "dy")}, terms);
}

void add_adaptive_pool(Cases& cases, const AdaptivePool& pool) {
  const double terms = static_cast<double>(pool.x[2] * pool.x[3]) + 1;
  cases.add_both(std::make_shared<graph::AdaptiveAveragePool2d>(pool.height, pool.width), {random_tensor(pool.x, "x")},
                 terms);
  cases.add_both(std::make_shared<graph::AdaptiveAveragePool2dBackward>(pool.x[2], pool.x[3]),
                 {random_tensor({pool.x[0], pool.x[1], pool.height, pool.width}, "dy")},
                 static_cast<double>(pool.height * pool.width) + 1);
}

}  // namespace

void add_pools(Cases& cases) {
  for (const Pool& pool : pools()) {
    add_max_pool(cases, pool);
    add_average_pool(cases, pool);
  }
  for (const AdaptivePool& pool : adaptive_pools()) add_adaptive_pool(cases, pool);
}

}  // namespace ddlbench::test
