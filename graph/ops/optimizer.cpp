#include "graph/ops/optimizer.h"

#include "base/error.h"
#include "base/number.h"

namespace ddlbench::graph {
namespace {

/// What an update takes beside parameters and gradients.
struct Takes {
  std::size_t states = 0;
  bool norms = false;
};

void require_inputs(const UpdateOp& op, Types inputs, Takes takes) {
  const std::size_t wanted = 2 + takes.states + (takes.norms ? 1 : 0) + (op.guard.any() ? 1 : 0);
  require(inputs.size() == wanted, std::string(op.kind()) + ": wrong number of inputs");
}

std::vector<TensorType> updated(const UpdateOp& op, Types inputs, Takes takes) {
  require_inputs(op, inputs, takes);
  std::vector<TensorType> types{inputs[0]};
  for (std::size_t state = 0; state < takes.states; ++state) types.push_back(inputs[2 + state]);
  if (op.site.working != DType::f32) types.push_back({inputs[0].shape, op.site.working});
  return types;
}

TensorType norms_type(const UpdateOp& op) {
  return {{op.site.tensors, 2}, DType::f32};
}

double per_element(double operations, Types inputs) {
  return operations * static_cast<double>(elements(inputs[0].shape));
}

/// Everything that tells one update from another: kernels are looked up by it.
std::string with_site(std::string text, const UpdateOp& op) {
  const auto [guard, site] = std::pair{op.guard, op.site};
  if (guard.max_norm > 0) text += " max_norm=" + to_text(guard.max_norm);
  if (guard.skip_overflow) text += " skip_overflow=yes";
  if (site.working != DType::f32) text += " working=" + std::string(name(site.working));
  if (site.segments.empty()) return text;
  text += " tensors=" + std::to_string(site.tensors) + " segments=";
  for (const UpdateSegment& segment : site.segments) {
    text += std::to_string(segment.tensor) + ":" + std::to_string(segment.begin) + "-" + std::to_string(segment.end);
    text += segment.exempt ? "x," : ",";
  }
  text.pop_back();
  return text;
}

std::string moments(float beta1, float beta2, float epsilon, float weight_decay) {
  return "beta1=" + to_text(beta1) + " beta2=" + to_text(beta2) + " epsilon=" + to_text(epsilon) +
         " weight_decay=" + to_text(weight_decay);
}

}  // namespace

std::string SgdUpdate::attributes() const {
  return with_site(
      "momentum=" + to_text(momentum) + (nesterov ? " nesterov=yes" : "") + " weight_decay=" + to_text(weight_decay),
      *this);
}

std::vector<TensorType> SgdUpdate::infer(Types inputs) const {
  return updated(*this, inputs, {momentum != 0 ? 1u : 0u});
}

double SgdUpdate::flops(Types inputs, Types) const {
  return per_element(2 + (weight_decay != 0 ? 2 : 0) + (momentum != 0 ? 2 : 0) + (nesterov ? 2 : 0), inputs);
}

std::string AdamUpdate::attributes() const {
  return with_site(moments(beta1, beta2, epsilon, weight_decay) + (decoupled ? " decoupled=yes" : ""), *this);
}

std::vector<TensorType> AdamUpdate::infer(Types inputs) const {
  return updated(*this, inputs, {2});
}

double AdamUpdate::flops(Types inputs, Types) const {
  return per_element(14, inputs);
}

std::string LarsUpdate::attributes() const {
  return with_site("momentum=" + to_text(momentum) + " weight_decay=" + to_text(weight_decay) +
                       " trust=" + to_text(trust) + " epsilon=" + to_text(epsilon),
                   *this);
}

std::vector<TensorType> LarsUpdate::infer(Types inputs) const {
  return updated(*this, inputs, {1, true});
}

double LarsUpdate::flops(Types inputs, Types) const {
  return per_element(7, inputs);
}

std::string LambMeasure::attributes() const {
  return with_site(moments(beta1, beta2, epsilon, weight_decay), *this);
}

std::vector<TensorType> LambMeasure::infer(Types inputs) const {
  require_inputs(*this, inputs, {2});
  return {inputs[2], inputs[3], norms_type(*this)};
}

double LambMeasure::flops(Types inputs, Types) const {
  return per_element(18, inputs);
}

std::string LambUpdate::attributes() const {
  return with_site(moments(beta1, beta2, epsilon, weight_decay), *this);
}

std::vector<TensorType> LambUpdate::infer(Types inputs) const {
  return updated(*this, inputs, {2, true});
}

double LambUpdate::flops(Types inputs, Types) const {
  return per_element(9, inputs);
}

std::string TensorNorms::attributes() const {
  return with_site({}, *this);
}

std::vector<TensorType> TensorNorms::infer(Types inputs) const {
  require_inputs(*this, inputs, {});
  return {norms_type(*this)};
}

double TensorNorms::flops(Types inputs, Types) const {
  return per_element(4, inputs);
}

std::vector<TensorType> SquaredNorm::infer(Types inputs) const {
  require(inputs.size() == 1, "squared_norm: wrong number of inputs");
  return {{{1}, DType::f32}};
}

double SquaredNorm::flops(Types inputs, Types) const {
  return per_element(2, inputs);
}

}  // namespace ddlbench::graph
