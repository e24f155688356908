#include <random>

#include "case_list.h"
#include "graph/ops/conv2d.h"

namespace ddlbench::test {
namespace {

using graph::Activation;

struct Convolution {
  graph::Shape x, w;
  graph::ConvolutionAttributes geometry;
};

std::vector<Convolution> convolutions() {
  std::vector<Convolution> all{
      {{2, 1, 7, 7}, {3, 1, 3, 3}, {1, 0}},         {{1, 3, 9, 8}, {5, 3, 3, 3}, {2, 1}},
      {{3, 5, 1, 1}, {7, 5, 1, 1}, {1, 0}},         {{4, 16, 6, 6}, {17, 16, 3, 3}, {1, 1}},
      {{2, 6, 12, 12}, {16, 6, 5, 5}, {1, 0}},      {{1, 2, 6, 6}, {1, 2, 3, 3}, {2, 0}},
      {{0, 2, 5, 5}, {3, 2, 3, 3}, {1, 0}},         {{2, 4, 5, 7}, {8, 4, 5, 3}, {1, 2}},
      {{2, 16, 8, 9}, {32, 4, 3, 3}, {1, 2, 2, 4}}, {{1, 7, 6, 6}, {7, 1, 3, 3}, {2, 1, 1, 7}},
      {{1, 4, 1, 1}, {6, 2, 3, 3}, {1, 1, 1, 2}},   {{0, 4, 5, 5}, {4, 2, 3, 3}, {1, 1, 1, 2}}};
  std::mt19937 draw(6);
  const auto up_to = [&draw](int most) { return 1 + static_cast<int>(draw() % static_cast<unsigned>(most)); };
  while (all.size() < 32) {
    const graph::ConvolutionAttributes geometry{up_to(3), up_to(4) - 1, up_to(3), up_to(4)};
    const graph::Shape w{geometry.groups * up_to(4), up_to(4), up_to(4), up_to(4)};
    const graph::Shape x{up_to(3), geometry.groups * w[1], up_to(9), up_to(9)};
    const auto fits = [&](std::size_t d) { return x[d] + 2 * geometry.padding > geometry.dilation * (w[d] - 1); };
    if (fits(2) && fits(3)) all.push_back({x, w, geometry});
  }
  return all;
}

}  // namespace

void add_convolutions(Cases& cases) {
  for (const Convolution& c : convolutions()) {
    const auto x = random_tensor(c.x, "x"), w = random_tensor(c.w, "w"), b = random_tensor({c.w[0]}, "b");
    const double forward_terms = static_cast<double>(c.w[1] * c.w[2] * c.w[3]) + 1;
    const auto plain = std::make_shared<graph::Conv2d>(c.geometry, false, Activation::none);
    cases.add_both(plain, {x, w}, forward_terms);
    cases.add_both(std::make_shared<graph::Conv2d>(c.geometry, true, Activation::none), {x, w, b}, forward_terms);
    cases.add_both(std::make_shared<graph::Conv2d>(c.geometry, true, Activation::relu), {x, w, b}, forward_terms);
    cases.add(std::make_shared<graph::Conv2d>(c.geometry, false, Activation::relu), {x, w}, forward_terms);

    const auto y_type = plain->infer(std::vector<graph::TensorType>{x.type, w.type})[0];
    const auto dz = random_tensor(y_type.shape, "dz");
    cases.add_both(std::make_shared<graph::Conv2dBackwardInput>(c.geometry, c.x[2], c.x[3]), {dz, w},
                   static_cast<double>(c.w[0] / c.geometry.groups * c.w[2] * c.w[3]));
    const double weight_terms = static_cast<double>(c.x[0] * y_type.shape[2] * y_type.shape[3]) + 1;
    // The types are given: a weight need not be square.
    const graph::TensorType dw{c.w}, db{{c.w[0]}};
    cases.add_both(std::make_shared<graph::Conv2dBackwardWeight>(c.geometry, c.w[2], false), {x, dz}, weight_terms,
                   {dw});
    cases.add_both(std::make_shared<graph::Conv2dBackwardWeight>(c.geometry, c.w[2], true), {x, dz}, weight_terms,
                   {dw, db});
  }
}

}  // namespace ddlbench::test
