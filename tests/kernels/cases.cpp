#include "cases.h"

#include "graph/ops/conv2d.h"
#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "graph/ops/optimizer.h"
#include "graph/ops/pool.h"
#include "graph/ops/shape.h"

namespace ddlbench::test {
namespace {

using graph::Activation;

class Cases {
 public:
  void add(graph::OpPtr op, std::vector<HostTensor> inputs, double terms, std::vector<graph::TensorType> types = {}) {
    Run run{std::move(op), std::move(inputs), std::move(types)};
    run.scalars.inverse_count = 0.125f;
    run.scalars.loss_scale = 4;
    run.scalars.learning_rate = 0.1f;
    run.scalars.step = 2;
    all_.push_back({std::string(run.op->kind()) + " " + run.op->attributes(), std::move(run), terms});
  }

  /// Also as an addition to what lies in the outputs.
  void add_both(const graph::OpPtr& op, const std::vector<HostTensor>& inputs, double terms,
                const std::vector<graph::TensorType>& types = {}) {
    add(op, inputs, terms, types);
    add(op, inputs, terms, types);
    OpCase& last = all_.back();
    last.name += " accumulate";
    last.run.accumulate = true;
    std::vector<graph::TensorType> input_types;
    for (const auto& tensor : inputs) input_types.push_back(tensor.type);
    for (const auto& type : types.empty() ? op->infer(input_types) : types) {
      last.run.initial_outputs.push_back(random_tensor(type.shape, "initial"));
    }
  }

  std::vector<OpCase> take() { return std::move(all_); }

 private:
  std::vector<OpCase> all_;
};

struct Convolution {
  graph::Shape x, w;
  graph::ConvolutionAttributes geometry;
};

const Convolution convolutions[] = {
    {{2, 1, 7, 7}, {3, 1, 3, 3}, {1, 0}},    {{1, 3, 9, 8}, {5, 3, 3, 3}, {2, 1}},
    {{3, 5, 1, 1}, {7, 5, 1, 1}, {1, 0}},    {{4, 16, 6, 6}, {17, 16, 3, 3}, {1, 1}},
    {{2, 6, 12, 12}, {16, 6, 5, 5}, {1, 0}}, {{1, 2, 6, 6}, {1, 2, 3, 3}, {2, 0}},
    {{0, 2, 5, 5}, {3, 2, 3, 3}, {1, 0}},    {{2, 4, 5, 7}, {8, 4, 5, 3}, {1, 2}},
};

void add_convolutions(Cases& cases) {
  for (const Convolution& c : convolutions) {
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
                   static_cast<double>(c.w[0] * c.w[2] * c.w[3]));
    const double weight_terms = static_cast<double>(c.x[0] * y_type.shape[2] * y_type.shape[3]) + 1;
    // The types are given: a weight need not be square.
    const graph::TensorType dw{c.w}, db{{c.w[0]}};
    cases.add_both(std::make_shared<graph::Conv2dBackwardWeight>(c.geometry, c.w[2], false), {x, dz}, weight_terms,
                   {dw});
    cases.add_both(std::make_shared<graph::Conv2dBackwardWeight>(c.geometry, c.w[2], true), {x, dz}, weight_terms,
                   {dw, db});
  }
}

void add_linears(Cases& cases) {
  const std::int64_t sizes[][3] = {{1, 1, 1}, {1, 7, 3}, {5, 33, 17}, {64, 256, 120}, {3, 84, 10}, {0, 4, 3}};
  for (const auto& [n, in, out] : sizes) {
    const auto x = random_tensor({n, in}, "x"), w = random_tensor({out, in}, "w"), b = random_tensor({out}, "b");
    const auto dz = random_tensor({n, out}, "dz");
    for (const auto f : {Activation::none, Activation::relu}) {
      cases.add_both(std::make_shared<graph::Linear>(false, f), {x, w}, static_cast<double>(in));
      cases.add_both(std::make_shared<graph::Linear>(true, f), {x, w, b}, static_cast<double>(in + 1));
    }
    cases.add_both(std::make_shared<graph::LinearBackwardInput>(), {dz, w}, static_cast<double>(out));
    cases.add_both(std::make_shared<graph::LinearBackwardWeight>(false), {x, dz}, static_cast<double>(n + 1));
    cases.add_both(std::make_shared<graph::LinearBackwardWeight>(true), {x, dz}, static_cast<double>(n + 1));
  }
}

void add_pools(Cases& cases) {
  struct Pool {
    graph::Shape x;
    int kernel, stride;
  };
  for (const auto& [x_shape, kernel, stride] :
       {Pool{{2, 3, 8, 8}, 2, 2}, Pool{{1, 1, 7, 9}, 2, 2}, Pool{{2, 2, 9, 70}, 3, 2}, Pool{{1, 5, 1, 1}, 1, 1},
        Pool{{1, 2, 6, 6}, 2, 3}, Pool{{4, 6, 24, 80}, 2, 2}, Pool{{0, 2, 4, 4}, 2, 2}, Pool{{1, 1, 16, 16}, 16, 1}}) {
    auto x = random_tensor(x_shape, "x");
    if (!x.values.empty()) x.values[1 % x.values.size()] = x.values[0];  // equals: the first counts
    const auto pool = std::make_shared<graph::MaxPool2d>(kernel, stride);
    cases.add(pool, {x}, 1);
    const auto types = pool->infer(std::vector<graph::TensorType>{x.type});
    auto argmax = random_tensor(types[1].shape, "argmax", 0, static_cast<float>(kernel * kernel));
    argmax.type.dtype = graph::DType::u8;
    for (float& value : argmax.values) value = static_cast<float>(static_cast<int>(value));
    cases.add_both(std::make_shared<graph::MaxPool2dBackward>(kernel, stride, x_shape[2], x_shape[3]),
                   {random_tensor(types[0].shape, "dy"), argmax}, kernel * kernel + 1);
  }
}

void add_elementwise(Cases& cases) {
  for (const graph::Shape& shape : {graph::Shape{1, 1}, {5, 3}, {2, 3, 4, 5}, {3, 1, 1, 1}, {2, 7, 100, 70}, {0, 3}}) {
    const auto x = random_tensor(shape, "x"), y = random_tensor(shape, "y"), b = random_tensor({shape[1]}, "b");
    for (const auto f : {Activation::none, Activation::relu}) {
      cases.add_both(std::make_shared<graph::ActivationBackward>(f), {x, y}, 2);
      cases.add_both(std::make_shared<graph::BiasActivation>(f), {x, b}, 3);
    }
    const double terms = static_cast<double>(graph::elements(shape) / shape[1]) + 1;
    cases.add_both(std::make_shared<graph::BiasBackward>(), {x}, terms);
    cases.add_both(std::make_shared<graph::Add>(), {x, y}, 3);
  }
}

void add_losses(Cases& cases) {
  for (const auto& [n, classes] : {std::pair{1, 1}, {1, 10}, {7, 3}, {64, 1000}, {0, 10}}) {
    std::vector<int> classes_of_samples;
    for (int i = 0; i < n; ++i) classes_of_samples.push_back(i % 5 == 4 ? -1 : i * 7 % classes);
    const auto logits = random_tensor({n, classes}, "logits", -5, 5);
    const double terms = n + classes + 10;
    cases.add_both(std::make_shared<graph::CrossEntropy>(), {logits, labels(classes_of_samples)}, terms);
    cases.add_both(std::make_shared<graph::CrossEntropyBackward>(), {logits, labels(classes_of_samples)}, terms);
  }
}

void add_shapes(Cases& cases) {
  struct Parted {
    graph::Shape shape;
    int dimension, parts;
    std::int64_t unit = 1;
  };
  for (const auto& [shape, dimension, parts, unit] :
       {Parted{{7}, 0, 3}, Parted{{4, 5}, 1, 2}, Parted{{3, 7, 2, 2}, 1, 4}, Parted{{2, 3, 40, 500}, 2, 3},
        Parted{{2, 2}, 1, 5}, Parted{{0, 3}, 1, 2}, Parted{{2, 20, 3}, 1, 3, 4}}) {
    const auto x = random_tensor(shape, "x");
    cases.add(std::make_shared<graph::SplitParts>(dimension, parts, unit), {x}, 0);
    cases.add(std::make_shared<graph::JoinParts>(dimension, parts, unit), {x}, 0);
    for (int i = 0; i < parts; ++i) cases.add(std::make_shared<graph::Slice>(dimension, parts, i, unit), {x}, 0);
  }
}

void add_optimizers(Cases& cases) {
  for (const std::int64_t size : {0, 1, 37, 100000}) {
    const auto w = random_tensor({size}, "w"), g = random_tensor({size}, "g"), m = random_tensor({size}, "m");
    const auto v = random_tensor({size}, "v", 0, 1);
    for (const float decay : {0.0f, 0.01f}) {
      cases.add(std::make_shared<graph::SgdUpdate>(0.0f, decay), {w, g}, 8);
      cases.add(std::make_shared<graph::SgdUpdate>(0.9f, decay), {w, g, m}, 8);
      cases.add(std::make_shared<graph::AdamUpdate>(0.9f, 0.999f, 1e-8f, decay), {w, g, m, v}, 16);
    }
  }
}

}  // namespace

std::vector<OpCase> op_cases() {
  Cases cases;
  add_convolutions(cases);
  add_linears(cases);
  add_pools(cases);
  add_elementwise(cases);
  add_losses(cases);
  add_shapes(cases);
  add_optimizers(cases);
  return cases.take();
}

}  // namespace ddlbench::test
