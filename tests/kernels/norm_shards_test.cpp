#include "base/error.h"
#include "catch.h"
#include "graph/graph.h"
#include "graph/ops/batch_norm.h"
#include "harness.h"
#include "norm_cases.h"
#include "own/own_device.h"

using namespace ddlbench;
using graph::Placement;
using test::HostTensor;

namespace {

constexpr int ranks = 2;

HostTensor shard(const HostTensor& whole, const Placement& placement, int rank) {
  if (placement.kind == Placement::Kind::replicated) return whole;
  const std::int64_t size = whole.type.shape[static_cast<std::size_t>(placement.dimension)];
  const auto extent = graph::part_of(size, ranks, rank, placement.unit);
  return test::part_of(whole, placement.dimension, extent.begin, extent.end);
}

HostTensor assembled(const std::vector<HostTensor>& of_ranks, const Placement& placement) {
  if (placement.kind == Placement::Kind::sharded) return test::joined(of_ranks, placement.dimension);
  HostTensor sum = of_ranks[0];
  for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += of_ranks[1].values[i];
  return sum;
}

/// Runs every signature of the op on two ranks, and the op on the whole: the parts are the whole's, bit for bit. What
/// is a sum of partial numbers may differ by `tolerance`.
void check_shards(kernels::Device& device, const graph::OpPtr& op, const std::vector<HostTensor>& inputs,
                  double tolerance) {
  std::vector<graph::TensorType> types;
  for (const auto& tensor : inputs) types.push_back(tensor.type);
  const auto types_of_outputs = op->infer(types);
  const auto whole = test::run(device, {op, inputs, {}});
  for (const auto& signature : op->signatures(types)) {
    if (signature.inputs[0].is_partial()) continue;
    std::vector<std::vector<HostTensor>> outputs(whole.size());
    for (int rank = 0; rank < ranks; ++rank) {
      test::Run run{op, {}, {}};
      for (std::size_t i = 0; i < inputs.size(); ++i) run.inputs.push_back(shard(inputs[i], signature.inputs[i], rank));
      for (std::size_t o = 0; o < whole.size(); ++o) {
        const Placement& placement = signature.outputs[o];
        run.output_types.push_back(placement.kind == Placement::Kind::sharded ? shard(whole[o], placement, rank).type
                                                                              : types_of_outputs[o]);
      }
      const auto results = test::run(device, run);
      for (std::size_t o = 0; o < whole.size(); ++o) outputs[o].push_back(results[o]);
    }
    for (std::size_t o = 0; o < whole.size(); ++o) {
      CAPTURE(device.kind(), op->kind(), op->attributes(), o, graph::to_string(signature.outputs[o]));
      const HostTensor together = assembled(outputs[o], signature.outputs[o]);
      if (signature.outputs[o].is_partial()) {
        CHECK(test::largest_error(together, whole[o], 1) <= tolerance);
      } else {
        CHECK(together.type == whole[o].type);
        CHECK(together.values == whole[o].values);
      }
    }
  }
}

}  // namespace

TEST_CASE("shards of every batch norm op equal the whole") {
  struct Batch {
    graph::Shape x;
    std::int64_t samples;
  };
  for (const auto& device : test::every_device()) {
    for (const auto& [shape, samples] :
         {Batch{{5, 3}, 0}, Batch{{9, 5}, 3}, Batch{{6, 4, 3, 3}, 2}, Batch{{3, 3, 4, 5}, 0}, Batch{{3, 5, 1, 1}, 1}}) {
      const auto x = test::random_tensor(shape, "x", -4, 4), residual = test::random_tensor(shape, "residual");
      const auto gamma = test::random_tensor({shape[1]}, "gamma"), beta = test::random_tensor({shape[1]}, "beta");
      const graph::BatchNormAttributes norm{samples, 1e-5f};
      const auto of_x = std::make_shared<graph::BatchMoments>(samples);
      check_shards(*device, of_x, {x}, 0);
      const auto moments = test::run(*device, {of_x, {x}, {}})[0];
      check_shards(*device, std::make_shared<graph::CombineMoments>(), {moments}, 0);
      for (const auto f : {graph::Activation::none, graph::Activation::relu}) {
        check_shards(*device, std::make_shared<graph::BatchNorm>(norm, true, f), {x, moments, gamma, beta, residual},
                     0);
        check_shards(*device, std::make_shared<graph::BatchNorm>(norm, false, f), {x, moments, gamma, beta}, 0);
      }
      const auto dz = test::random_tensor(shape, "dz");
      const auto backward_moments =
          std::make_shared<graph::BatchNormBackwardMoments>(norm, false, graph::Activation::none);
      check_shards(*device, backward_moments, {dz, x, moments}, 1e-5);
      const auto relu = graph::Activation::relu;
      check_shards(*device, std::make_shared<graph::BatchNormBackwardMoments>(norm, false, relu),
                   {dz, x, moments, gamma, beta}, 1e-5);
      check_shards(*device, std::make_shared<graph::BatchNormBackwardMoments>(norm, true, relu),
                   {dz, x, moments, residual}, 1e-5);
      const auto sums = test::run(*device, {backward_moments, {dz, x, moments}, {}})[0];
      check_shards(*device, std::make_shared<graph::BatchNormBackwardInput>(norm, graph::Activation::none),
                   {dz, x, moments, sums, gamma}, 0);
      check_shards(*device, std::make_shared<graph::BatchNormBackwardInput>(norm, relu),
                   {dz, x, moments, sums, gamma, beta}, 0);
      if (sums.type.shape[0] > 1) {
        check_shards(*device, std::make_shared<graph::BatchNormBackwardWeight>(graph::DType::f32), {sums}, 1e-6);
        check_shards(*device, std::make_shared<graph::ObserveMoments>(), {moments}, 1e-6);
      }
      const auto mean = test::random_tensor({shape[1]}, "mean"), variance = test::random_tensor({shape[1]}, "v", 1, 2);
      check_shards(*device, std::make_shared<graph::BatchNormInference>(1e-5f, true, graph::Activation::relu),
                   {x, gamma, beta, mean, variance, residual}, 0);
    }
  }
}

TEST_CASE("weight gradients of partial sums are partial") {
  const auto device = test::device("reference");
  const auto a = test::random_tensor({1, 2, 5}, "a"), b = test::random_tensor({1, 2, 5}, "b");
  HostTensor sum = a;
  for (std::size_t i = 0; i < sum.values.size(); ++i) sum.values[i] += b.values[i];
  const auto op = std::make_shared<graph::BatchNormBackwardWeight>(graph::DType::f32);
  const auto of_a = test::run(*device, {op, {a}, {}}), of_b = test::run(*device, {op, {b}, {}});
  const auto of_sum = test::run(*device, {op, {sum}, {}});
  for (std::size_t o = 0; o < 2; ++o)
    CHECK(assembled({of_a[o], of_b[o]}, graph::partial_sum()).values == of_sum[o].values);
}

TEST_CASE("inconsistent groups and moments of wrong sizes are rejected by every device") {
  const auto x = test::random_tensor({4, 3, 2}, "x");
  const auto moments = test::zeros({{2, 4, 3}, graph::DType::f32}), features = test::zeros({{3}, graph::DType::f32});
  const graph::Activation none = graph::Activation::none;
  for (const auto& device : test::every_device()) {
    const auto bind = [&](const graph::OpPtr& op, const std::vector<graph::TensorType>& inputs,
                          const std::vector<graph::TensorType>& outputs, bool accumulate = false) {
      device->bind({{op, accumulate}, inputs, outputs});
    };
    const auto norm = [&](std::int64_t samples) {
      return std::make_shared<graph::BatchNorm>(graph::BatchNormAttributes{samples, 1e-5f}, false, none);
    };
    const std::vector<graph::TensorType> inputs{x.type, moments.type, features.type, features.type};
    bind(norm(2), inputs, {x.type});
    CHECK_THROWS_AS(bind(norm(1), inputs, {x.type}), InputError);
    CHECK_THROWS_AS(bind(norm(0), inputs, {x.type}), InputError);
    CHECK_THROWS_AS(bind(norm(2), inputs, {x.type}, true), InputError);
    CHECK_THROWS_AS(bind(norm(2), {x.type, moments.type, features.type, {{4}, graph::DType::f32}}, {x.type}),
                    InputError);
    CHECK_THROWS_AS(bind(std::make_shared<graph::BatchMoments>(2), {x.type}, {{{1, 4, 3}, graph::DType::f32}}),
                    InputError);
    const auto combine = std::make_shared<graph::CombineMoments>();
    bind(combine, {moments.type}, {{{1, 4, 3}, graph::DType::f32}});
    CHECK_THROWS_AS(bind(combine, {moments.type}, {moments.type}), InputError);
    CHECK_THROWS_AS(bind(combine, {moments.type}, {{{1, 4, 3}, graph::DType::f32}}, true), InputError);
  }
}
