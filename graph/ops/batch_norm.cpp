#include "graph/ops/batch_norm.h"

#include "base/error.h"
#include "graph/ops/batch_norm_shapes.h"
#include "graph/ops/layer.h"

namespace ddlbench::graph {
namespace {

constexpr int channels = 1;         ///< dimension of x
constexpr int moment_channels = 2;  ///< dimension of moments and sums

/// The placement of the batch if groups of `samples` samples stay whole. of_groups() is the corresponding placement of
/// values of groups, such as moments.
Placement sharded_groups(std::int64_t samples) {
  return samples == 0 ? sharded(0) : sharded(0, samples);
}

Placement of_groups(std::int64_t samples) {
  return samples == 0 ? replicated() : sharded(0);
}

/// Adds the placement of the residual, which is that of the output.
Signature and_residual(Signature signature, bool residual) {
  if (residual) signature.inputs.push_back(signature.outputs[0]);
  return signature;
}

}  // namespace

std::vector<TensorType> BatchMoments::infer(Types inputs) const {
  require(inputs.size() == 1, "batch_moments: wrong number of inputs");
  expect_groups("batch_moments", inputs[0], samples);
  return {moments_of(inputs[0].shape, samples)};
}

std::vector<Signature> BatchMoments::signatures(Types) const {
  const Signature by_channels{{sharded(channels)}, {sharded(moment_channels)}};
  if (samples == 0) return {by_channels};
  return {{{sharded_groups(samples)}, {sharded(0)}}, by_channels};
}

void BatchMoments::differentiate(Differentiation&) const {}

std::vector<TensorType> CombineMoments::infer(Types inputs) const {
  require(inputs.size() == 1, "combine_moments: wrong number of inputs");
  expect_moments("combine_moments", inputs[0]);
  return {{{1, moment_rows, inputs[0].shape[2]}, DType::f32}};
}

std::vector<Signature> CombineMoments::signatures(Types) const {
  return {{{sharded(moment_channels)}, {sharded(moment_channels)}}};
}

void CombineMoments::differentiate(Differentiation&) const {}

std::string BatchNormOp::attributes() const {
  return attribute_text("samples", norm.samples, "epsilon", norm.epsilon, "residual", residual, "activation",
                        activation);
}

std::vector<TensorType> BatchNorm::infer(Types inputs) const {
  require(inputs.size() == (residual ? 5u : 4u), "batch_norm: wrong number of inputs");
  expect_moments("batch_norm", inputs[1], inputs[0], norm.samples);
  expect_channels("batch_norm", "gamma", inputs[2], inputs[0], inputs[0].dtype);
  expect_channels("batch_norm", "beta", inputs[3], inputs[0], inputs[0].dtype);
  if (residual) expect_equal("batch_norm", "residual", inputs[4], inputs[0]);
  return {inputs[0]};
}

std::vector<Signature> BatchNorm::signatures(Types) const {
  const Placement batch = sharded_groups(norm.samples), groups = of_groups(norm.samples);
  return {and_residual({{batch, groups, replicated(), replicated()}, {batch}}, residual),
          and_residual({{sharded(channels), sharded(moment_channels), sharded(0), sharded(0)}, {sharded(channels)}},
                       residual)};
}

void BatchNorm::differentiate(Differentiation& d) const {
  const TensorId dy = d.output_gradient(0), x = d.input(0), moments = d.input(1), gamma = d.input(2), beta = d.input(3);
  const auto backward_moments = std::make_shared<BatchNormBackwardMoments>(norm, residual, activation);
  std::vector<TensorId> inputs{dy, x, moments};
  if (backward_moments->recomputes_z()) inputs.insert(inputs.end(), {gamma, beta});
  if (backward_moments->writes_dz()) inputs.push_back(d.output(0));
  const std::vector<TensorId> made = d.emit("backward_moments", backward_moments, inputs, Phase::backward_input);
  const TensorId sums = made[0], dz = backward_moments->writes_dz() ? made[1] : dy;
  if (residual && d.needs_gradient(4)) d.set_gradient(4, dz);
  if (d.needs_gradient(0)) {
    const Activation left = backward_moments->writes_dz() ? Activation::none : activation;
    inputs = {dz, x, moments, sums, gamma};
    if (left != Activation::none) inputs.push_back(beta);
    d.backward_input(std::make_shared<BatchNormBackwardInput>(norm, left), inputs);
  }
  d.backward_weight(std::make_shared<BatchNormBackwardWeight>(d.input_type(2).dtype), {sums}, 2);
}

std::vector<TensorType> BatchNormBackwardMoments::infer(Types inputs) const {
  const std::string op = "batch_norm_backward_moments";
  require(inputs.size() == (recomputes_z() ? 5u : writes_dz() ? 4u : 3u), op + ": wrong number of inputs");
  const TensorType& x = inputs[1];
  expect_equal(op, "dy", inputs[0], x);
  expect_moments(op, inputs[2], x, norm.samples);
  if (recomputes_z()) {
    expect_channels(op, "gamma", inputs[3], x, x.dtype);
    expect_channels(op, "beta", inputs[4], x, x.dtype);
  }
  const TensorType sums = sums_of(x.shape, norm.samples);
  if (!writes_dz()) return {sums};
  expect_equal(op, "y", inputs[3], x);
  return {sums, x};
}

std::vector<Signature> BatchNormBackwardMoments::signatures(Types) const {
  const Placement batch = sharded_groups(norm.samples), groups = of_groups(norm.samples);
  std::vector<Signature> all{
      {{batch, batch, groups}, {norm.samples == 0 ? partial_sum() : groups}},
      {{sharded(channels), sharded(channels), sharded(moment_channels)}, {sharded(moment_channels)}}};
  for (Signature& one : all) {
    const bool by_channels = one.inputs[0] == sharded(channels);
    if (recomputes_z()) one.inputs.insert(one.inputs.end(), 2, by_channels ? sharded(0) : replicated());
    if (writes_dz()) {
      one.inputs.push_back(one.inputs[0]);
      one.outputs.push_back(one.inputs[0]);
    }
  }
  return all;
}

std::string BatchNormBackwardInput::attributes() const {
  return attribute_text("samples", norm.samples, "epsilon", norm.epsilon, "activation", activation);
}

std::vector<TensorType> BatchNormBackwardInput::infer(Types inputs) const {
  const std::string op = "batch_norm_backward_input";
  require(inputs.size() == (activation == Activation::none ? 5u : 6u), op + ": wrong number of inputs");
  const TensorType& x = inputs[1];
  expect_equal(op, "dy", inputs[0], x);
  expect_moments(op, inputs[2], x, norm.samples);
  expect_sums(op, inputs[3], inputs[2]);
  expect_channels(op, "gamma", inputs[4], x, x.dtype);
  if (activation != Activation::none) expect_channels(op, "beta", inputs[5], x, x.dtype);
  return {x};
}

std::vector<Signature> BatchNormBackwardInput::signatures(Types) const {
  const Placement batch = sharded_groups(norm.samples), groups = of_groups(norm.samples);
  std::vector<Signature> all{
      {{batch, batch, groups, groups, replicated()}, {batch}},
      {{sharded(channels), sharded(channels), sharded(moment_channels), sharded(moment_channels), sharded(0)},
       {sharded(channels)}}};
  if (activation != Activation::none)
    for (Signature& one : all) one.inputs.push_back(one.inputs[4]);  // beta has the placement of gamma
  return all;
}

std::vector<TensorType> BatchNormBackwardWeight::infer(Types inputs) const {
  require(inputs.size() == 1 && inputs[0].dtype == DType::f32 && inputs[0].shape.size() == 3 && inputs[0].shape[1] == 2,
          "batch_norm_backward_weight: the inputs are not sums of groups");
  const TensorType of_channels{{inputs[0].shape[2]}, dtype};
  return {of_channels, of_channels};
}

std::vector<Signature> BatchNormBackwardWeight::signatures(Types) const {
  return {{{partial_sum()}, {partial_sum(), partial_sum()}},
          {{sharded(0)}, {partial_sum(), partial_sum()}},
          {{sharded(moment_channels)}, {sharded(0), sharded(0)}}};
}

std::string BatchNormInference::attributes() const {
  return attribute_text("epsilon", epsilon, "residual", residual, "activation", activation);
}

std::vector<TensorType> BatchNormInference::infer(Types inputs) const {
  require(inputs.size() == (residual ? 6u : 5u), "batch_norm_inference: wrong number of inputs");
  expect_channels("batch_norm_inference", "gamma", inputs[1], inputs[0], inputs[0].dtype);
  expect_channels("batch_norm_inference", "beta", inputs[2], inputs[0], inputs[0].dtype);
  expect_channels("batch_norm_inference", "mean", inputs[3], inputs[0], DType::f32);
  expect_channels("batch_norm_inference", "variance", inputs[4], inputs[0], DType::f32);
  if (residual) expect_equal("batch_norm_inference", "residual", inputs[5], inputs[0]);
  return {inputs[0]};
}

std::vector<Signature> BatchNormInference::signatures(Types) const {
  return {and_residual({{sharded(0), replicated(), replicated(), replicated(), replicated()}, {sharded(0)}}, residual),
          and_residual({{sharded(channels), sharded(0), sharded(0), sharded(0), sharded(0)}, {sharded(channels)}},
                       residual)};
}

}  // namespace ddlbench::graph
