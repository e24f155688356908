#include "graph/ops/batch_norm.h"

#include <cmath>

#include "catch.h"
#include "graph/graph.h"
#include "harness.h"
#include "kernels/functors/batch_statistics.h"
#include "narrow.h"
#include "norm_cases.h"
#include "own/own_device.h"

using namespace ddlbench;
using graph::Activation;
using graph::BatchNormAttributes;
using test::HostTensor;

namespace {

std::vector<HostTensor> apply(kernels::Device& device, graph::OpPtr op, std::vector<HostTensor> inputs) {
  return test::run(device, {std::move(op), std::move(inputs), {}});
}

HostTensor tensor(const graph::Shape& shape, std::vector<float> values) {
  return {{shape, graph::DType::f32}, std::move(values)};
}

struct Operands {
  HostTensor x, gamma, beta, residual;
};

struct Normalisation {
  BatchNormAttributes norm;
  Activation activation = Activation::none;
  bool residual = false;
};

struct Gradients {
  HostTensor x, gamma, beta, residual;
};

/// What the nodes of add_batch_norm compute, and those of its derivative for the gradient `dy`.
struct Composed {
  HostTensor y, mean, variance;
  Gradients gradients;
};

Composed compose(kernels::Device& device, const Normalisation& n, const Operands& o, const HostTensor& dy) {
  graph::Graph graph;
  std::vector<HostTensor> values;
  const auto add = [&](const HostTensor& value) {
    values.push_back(value);
    return graph.add_tensor({"x", value.type, graph::Role::parameter});
  };
  const auto x = add(o.x), residual = n.residual ? add(o.residual) : graph::absent;
  const auto y = graph::add_batch_norm(graph, "bn", x, residual, n.norm, n.activation);
  values.resize(graph.tensors.size());
  const auto of = [&](graph::TensorId id) -> HostTensor& { return values[static_cast<std::size_t>(id)]; };
  const graph::Node norm = graph.nodes[1];
  of(norm.inputs[2]) = o.gamma;
  of(norm.inputs[3]) = o.beta;
  const auto seed = graph.add_tensor({"seed", dy.type, graph::Role::gradient});
  const std::vector<bool> wanted(graph.tensors.size(), true);
  const std::vector<graph::TensorId> output_gradients{seed};
  graph::Differentiation d(graph, 1, output_gradients, wanted);
  norm.op->differentiate(d);
  values.resize(graph.tensors.size());
  of(seed) = dy;
  for (const auto& node : graph.nodes) {
    std::vector<HostTensor> inputs;
    for (const auto id : node.inputs) inputs.push_back(of(id));
    const auto results = apply(device, node.op, inputs);
    for (std::size_t i = 0; i < results.size(); ++i) of(node.outputs[i]) = results[i];
  }
  const auto& g = d.input_gradients();
  return {of(y),
          of(graph.observations[0].observed),
          of(graph.observations[1].observed),
          {of(g[0]), of(g[2]), of(g[3]), n.residual ? of(g[4]) : HostTensor{}}};
}

/// Σ weights · y in f64, straight from the definition: mean and variance of each group in two passes.
struct Definition {
  Normalisation n;
  graph::Shape shape;
  std::vector<double> x, gamma, beta, residual, weights;

  Definition(const Normalisation& of, const Operands& o, const HostTensor& dy)
      : n(of),
        shape(o.x.type.shape),
        x(o.x.values.begin(), o.x.values.end()),
        gamma(o.gamma.values.begin(), o.gamma.values.end()),
        beta(o.beta.values.begin(), o.beta.values.end()),
        residual(o.residual.values.begin(), o.residual.values.end()),
        weights(dy.values.begin(), dy.values.end()) {}

  std::vector<double> y() const {
    const auto channels = static_cast<std::size_t>(shape[1]), batch = static_cast<std::size_t>(shape[0]);
    const std::size_t inner = x.size() / batch / channels;
    const std::size_t samples = n.norm.samples == 0 ? batch : static_cast<std::size_t>(n.norm.samples);
    std::vector<double> result(x.size());
    for (std::size_t first = 0; first < batch; first += samples) {
      for (std::size_t c = 0; c < channels; ++c) {
        const auto each = [&](const auto& body) {
          for (std::size_t s = first; s < first + samples; ++s)
            for (std::size_t i = 0; i < inner; ++i) body((s * channels + c) * inner + i);
        };
        const double count = static_cast<double>(samples * inner);
        double mean = 0, variance = 0;
        each([&](std::size_t e) { mean += x[e] / count; });
        each([&](std::size_t e) { variance += (x[e] - mean) * (x[e] - mean) / count; });
        each([&](std::size_t e) {
          double z = gamma[c] * (x[e] - mean) / std::sqrt(variance + n.norm.epsilon) + beta[c];
          if (n.residual) z += residual[e];
          result[e] = n.activation == Activation::relu && z < 0 ? 0 : z;
        });
      }
    }
    return result;
  }
  double loss() const {
    double sum = 0;
    const auto values = y();
    for (std::size_t e = 0; e < values.size(); ++e) sum += weights[e] * values[e];
    return sum;
  }
  /// By central differences of a step at which neither rounding nor the third derivative counts.
  std::vector<double> gradient(std::vector<double> Definition::*by) const {
    constexpr double step = 1e-5;
    Definition moved = *this;
    std::vector<double> slopes;
    for (double& value : moved.*by) {
      const double here = value;
      value = here + step;
      const double above = moved.loss();
      value = here - step;
      slopes.push_back((above - moved.loss()) / (2 * step));
      value = here;
    }
    return slopes;
  }
};

void check_close(const HostTensor& actual, const std::vector<double>& expected, double tolerance) {
  REQUIRE(actual.values.size() == expected.size());
  for (std::size_t e = 0; e < expected.size(); ++e) {
    CAPTURE(e, actual.values[e], expected[e]);
    CHECK(std::abs(actual.values[e] - expected[e]) <= tolerance * std::max(1.0, std::abs(expected[e])));
  }
}

Operands operands(const graph::Shape& shape) {
  return {test::random_tensor(shape, "x", -2, 3), test::random_tensor({shape[1]}, "gamma", 0.5f, 1.5f),
          test::random_tensor({shape[1]}, "beta"), test::random_tensor(shape, "residual")};
}

}  // namespace

TEST_CASE("batch norm and its derivative through the moments equal central differences of the definition") {
  struct Batch {
    graph::Shape x;
    std::int64_t samples;
  };
  for (const auto& [shape, samples] :
       {Batch{{6, 2}, 0}, Batch{{6, 3}, 3}, Batch{{2, 3, 3, 2}, 0}, Batch{{4, 1, 2, 2}, 2}, Batch{{3, 2, 5}, 1},
        Batch{{1, 3, 4, 4}, 0}, Batch{{1, 2, 1, 1}, 0}, Batch{{2, 3}, 1}, Batch{{5, 3, 1, 1}, 0}}) {
    for (const bool residual : {false, true}) {
      for (const auto f : {Activation::none, Activation::relu}) {
        // One value is normalised to 0 exactly, so that a kink at beta + residual does not move with it.
        const Normalisation n{{samples, 1e-2f}, f, residual};
        const Operands o = operands(shape);
        const HostTensor dy = test::random_tensor(shape, "dy", 0.5f, 1.5f);
        const Definition definition(n, o, dy);
        for (const auto& device : test::every_device()) {
          CAPTURE(device->kind(), graph::to_string(shape), samples, residual, graph::name(f));
          const Composed got = compose(*device, n, o, dy);
          check_close(got.y, definition.y(), 1e-5);
          check_close(got.gradients.x, definition.gradient(&Definition::x), 2e-5);
          check_close(got.gradients.gamma, definition.gradient(&Definition::gamma), 2e-5);
          check_close(got.gradients.beta, definition.gradient(&Definition::beta), 2e-5);
          if (residual) check_close(got.gradients.residual, definition.gradient(&Definition::residual), 2e-5);
        }
      }
    }
  }
}

TEST_CASE("batch norm of data far from zero, and its derivative, equal the definition in f64", "[N1]") {
  struct Batch {
    graph::Shape x;
    std::int64_t samples;
  };
  for (const auto& [shape, samples] :
       {Batch{{8, 2}, 0}, Batch{{6, 3}, 3}, Batch{{2, 3, 3, 2}, 0}, Batch{{4, 2, 5}, 1}}) {
    for (const double mean : {0.12, 30.0, -100.0, 300.0, -2980.0}) {  // of data with a deviation of 0.3
      for (const bool residual : {false, true}) {
        const Normalisation n{{samples, 1e-5f}, Activation::relu, residual};
        Operands o = operands(shape);
        for (float& value : o.x.values) value = static_cast<float>(mean + 0.2 * value);
        const HostTensor dy = test::random_tensor(shape, "dy", 0.5f, 1.5f);
        const Definition definition(n, o, dy);
        for (const auto& device : test::every_device()) {
          CAPTURE(device->kind(), graph::to_string(shape), samples, mean, residual);
          const Composed got = compose(*device, n, o, dy);
          check_close(got.y, definition.y(), 2e-6);
          check_close(got.gradients.x, definition.gradient(&Definition::x), 2e-5);
          check_close(got.gradients.gamma, definition.gradient(&Definition::gamma), 5e-6);
          check_close(got.gradients.beta, definition.gradient(&Definition::beta), 5e-6);
        }
      }
    }
  }
}

TEST_CASE("batch norm equals PyTorch's BatchNorm1d: forward, backward, running statistics and evaluation") {
  // torch 1.13.1: BatchNorm1d(2, eps=1e-3, momentum=0.25), y = relu(bn(x) + residual), loss = (dy * y).sum().
  const graph::Shape shape{3, 2, 2}, channels{2};
  const HostTensor x = tensor(shape, {1, 2, -3, 0.5f, 0.25f, -1, 4, 1.5f, 2, -2.5f, -0.75f, 3});
  const HostTensor residual = tensor(shape, {0.5f, -0.5f, 0.25f, 1, -1, 0, 0.75f, -1.5f, 1, -0.25f, 2, -0.75f});
  const HostTensor dy = tensor(shape, {1, -2, 0.5f, 3, -1, 2, 1.5f, -0.5f, 0.25f, 1, -1.5f, 2.5f});
  const HostTensor gamma = tensor(channels, {1.5f, -0.75f}), beta = tensor(channels, {0.25f, -0.5f});
  const HostTensor mean = tensor(channels, {0.5f, -1}), variance = tensor(channels, {2, 0.5f});
  for (const auto& device : test::every_device()) {
    CAPTURE(device->kind());
    const Composed got = compose(*device, {{0, 1e-3f}, Activation::relu, true}, {x, gamma, beta, residual}, dy);
    check_close(got.y, {1.40458345, 1.32870102, 0.999210596, 0.620891333, 0, 0, 0, 0, 2.82870102, 0, 2.0238626, 0},
                1e-6);
    check_close(got.gradients.x,
                {1.13409472, -1.50489974, -0.0296875313, -0.857345223, 0.109958097, -0.0567401126, 0.0880703032,
                 0.10358125, 0.57436502, -0.256778002, 0.601106524, 0.0942746848},
                1e-6);
    check_close(got.gradients.residual, {1, -2, 0.5, 3, 0, 0, 0, 0, 0.25, 0, -1.5, 0}, 0);
    check_close(got.gradients.gamma, {-1.40542901, -0.268647432}, 1e-6);
    check_close(got.gradients.beta, {-0.75, 2}, 1e-6);
    const auto update = std::make_shared<graph::StatisticUpdate>(0.25f, 1.0);
    check_close(apply(*device, update, {mean, got.mean})[0], {0.447916657, -0.53125}, 1e-6);
    check_close(apply(*device, update, {variance, got.variance})[0], {2.29010415, 1.99843752}, 1e-6);
    const auto inference = std::make_shared<graph::BatchNormInference>(1e-3f, true, Activation::relu);
    // From the statistics of after the step.
    check_close(apply(*device, inference,
                      {x, gamma, beta, tensor(channels, {0.447916657f, -0.53125f}),
                       tensor(channels, {2.29010415f, 1.99843752f}), residual})[0],
                {1.29710865, 1.28809762, 1.05943656, 0, 0, 0, 0, 0, 2.78809762, 0, 1.61602604, 0}, 1e-6);
  }
}

TEST_CASE("backward recomputes the same activation as forward, even if rounding decides") {
  const graph::Shape shape{4, 16, 9, 8};
  const std::int64_t channels = shape[1], inner = shape[2] * shape[3];
  const BatchNormAttributes norm{2, 1e-5f};
  for (const auto dtype : {graph::DType::f32, graph::DType::bf16}) {
    const auto typed = [dtype](const HostTensor& values) { return test::in_type(values, dtype); };
    const HostTensor x = typed(test::random_tensor(shape, "x", -2, 2)),
                     dy = typed(test::random_tensor(shape, "dy", 1, 2));
    const HostTensor gamma = typed(test::random_tensor({channels}, "gamma", 0.5f, 2));
    for (const auto& device : test::every_device()) {
      const auto moments = apply(*device, std::make_shared<graph::BatchMoments>(norm.samples), {x})[0];
      // One value of each channel is as near to the kink as rounding leaves it.
      HostTensor beta = tensor({channels}, {});
      for (std::int64_t c = 0; c < channels; ++c) {
        const auto at = static_cast<std::size_t>(c);
        const auto s = kernels::statistics_of(moments.values.data(), channels, 0, c);
        const double from_mean = x.values[static_cast<std::size_t>(c * inner + 5)] - s.mean;
        const double z = from_mean * s.rstd(norm.epsilon) * gamma.values[at];
        beta.values.push_back(static_cast<float>(-z));
      }
      beta = typed(beta);
      const auto y = apply(*device, std::make_shared<graph::BatchNorm>(norm, false, Activation::relu),
                           {x, moments, gamma, beta})[0];
      HostTensor dz = dy;
      for (std::size_t e = 0; e < dz.values.size(); ++e) dz.values[e] = y.values[e] > 0 ? dy.values[e] : 0;
      const auto sums = [&](Activation f, const std::vector<HostTensor>& inputs) {
        return apply(*device, std::make_shared<graph::BatchNormBackwardMoments>(norm, false, f), inputs)[0];
      };
      const auto expected = sums(Activation::none, {dz, x, moments});
      CAPTURE(device->kind(), graph::name(dtype));
      CHECK(sums(Activation::relu, {dy, x, moments, gamma, beta}).values == expected.values);
      const auto through_y =
          apply(*device, std::make_shared<graph::BatchNormBackwardMoments>(norm, true, Activation::relu),
                {dy, x, moments, y});
      CHECK(through_y[0].values == expected.values);
      CHECK(through_y[1].values == dz.values);
      const auto dx = [&](Activation f, const std::vector<HostTensor>& inputs) {
        return apply(*device, std::make_shared<graph::BatchNormBackwardInput>(norm, f), inputs)[0];
      };
      CHECK(dx(Activation::relu, {dy, x, moments, expected, gamma, beta}).values ==
            dx(Activation::none, {dz, x, moments, expected, gamma}).values);
    }
  }
}

TEST_CASE("observations of groups and micro-batches are averaged over all of them") {
  const auto device = test::device("reference");
  const auto x = test::random_tensor({6, 2, 3}, "x");
  const auto moments = apply(*device, std::make_shared<graph::BatchMoments>(2), {x})[0];
  const auto together = apply(*device, std::make_shared<graph::ObserveMoments>(), {moments});
  test::Run second{std::make_shared<graph::ObserveMoments>(), {moments}, {}, true, together};
  const auto twice = test::run(*device, second);
  for (int which = 0; which < 2; ++which) {
    for (std::size_t c = 0; c < 2; ++c) {
      double observed = 0;
      for (std::size_t g = 0; g < 3; ++g) {
        double sum = 0, squares = 0;
        for (std::size_t e = 0; e < 6; ++e) {
          const double value = x.values[((g * 2 + e / 3) * 2 + c) * 3 + e % 3];
          sum += value;
          squares += value * value;
        }
        observed += which == 0 ? sum / 6 : (squares - sum * sum / 6) / 5;
      }
      const auto at = static_cast<std::size_t>(which);
      CHECK(together[at].values[c] == Approx(observed).margin(1e-6));
      CHECK(twice[at].values[c] == Approx(2 * observed).margin(1e-6));
      // Six observations in all: the statistic moves by a quarter of the way to their mean.
      const HostTensor statistic = tensor({2}, {1, 2});
      const auto update = std::make_shared<graph::StatisticUpdate>(0.25f, 1.0 / 6);
      CHECK(apply(*device, update, {statistic, twice[at]})[0].values[c] ==
            Approx(0.75 * statistic.values[c] + 0.25 * observed / 3).margin(1e-6));
    }
  }
}

TEST_CASE("gradients of 16-bit parameters are f32 sums, rounded once") {
  const auto sums = test::random_tensor({3, 2, 37}, "sums");
  test::OwnDevice device(2);
  const auto wide = apply(device, std::make_shared<graph::BatchNormBackwardWeight>(graph::DType::f32), {sums});
  for (const auto dtype : {graph::DType::bf16, graph::DType::f16}) {
    const graph::TensorType type{{37}, dtype};
    const auto narrow = apply(device, std::make_shared<graph::BatchNormBackwardWeight>(dtype), {sums});
    for (std::size_t o = 0; o < 2; ++o) {
      const HostTensor rounded{type, wide[o].values};
      CHECK(narrow[o].type == rounded.type);
      CHECK(narrow[o].values == HostTensor::from_bytes(rounded.type, rounded.bytes()).values);
    }
  }
}

TEST_CASE("statistics are updated in place") {
  const auto statistic = test::random_tensor({100}, "statistic"), observed = test::random_tensor({100}, "observed");
  for (const auto& device : test::every_device()) {
    test::Run run{std::make_shared<graph::StatisticUpdate>(0.1f, 0.5), {statistic, observed}, {}};
    const auto apart = test::run(*device, run);
    run.in_place = {{0, 0}};
    CHECK(test::run(*device, run)[0].values == apart[0].values);
  }
}

TEST_CASE("one thread and many compute the same normalisation") {
  const auto one = test::device("cpu", 1), many = test::device("cpu", 3);
  for (const auto& [shape, samples] :
       {std::pair{graph::Shape{4, 12, 64, 64}, 0}, {graph::Shape{5000, 40}, 0}, {graph::Shape{5000, 40}, 100}}) {
    const Normalisation n{{samples, 1e-5f}, Activation::relu, true};
    const auto dy = test::random_tensor(shape, "dy");
    const Composed a = compose(*one, n, operands(shape), dy), b = compose(*many, n, operands(shape), dy);
    CHECK(a.y.values == b.y.values);
    CHECK(a.mean.values == b.mean.values);
    CHECK(a.variance.values == b.variance.values);
    CHECK(a.gradients.x.values == b.gradients.x.values);
    CHECK(a.gradients.gamma.values == b.gradients.gamma.values);
  }
}
