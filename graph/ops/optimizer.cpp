#include "graph/ops/optimizer.h"

#include <fmt/core.h>

#include "base/error.h"
#include "graph/attributes.h"

namespace ddlbench::graph {
namespace {

void require_inputs(const UpdateOp& op, Types inputs) {
  const std::size_t wanted = 2 + op.states() + (op.takes_norms() ? 1 : 0) + (op.guard.any() ? 1 : 0);
  require(inputs.size() == wanted, std::string(op.kind()) + ": wrong number of inputs");
}

TensorType norms_type(const UpdateOp& op) {
  return {{op.site.tensors, 2}, DType::f32};
}

}  // namespace

std::string UpdateOp::attributes() const {
  std::string text = rule();
  if (guard.max_norm > 0) text += " " + attribute_text("max_norm", guard.max_norm);
  if (guard.skip_overflow) text += " skip_overflow=yes";
  if (site.working != DType::f32) text += " " + attribute_text("working", site.working);
  if (site.segments.empty()) return text;
  text += fmt::format(" tensors={} segments=", site.tensors);
  for (const UpdateSegment& segment : site.segments) {
    text += fmt::format("{}:{}-{}", segment.tensor, segment.begin, segment.end);
    text += segment.exempt ? "x," : ",";
  }
  text.pop_back();
  return text;
}

std::vector<TensorType> UpdateOp::infer(Types inputs) const {
  require_inputs(*this, inputs);
  std::vector<TensorType> types{inputs[0]};
  for (std::size_t state = 0; state < states(); ++state) types.push_back(inputs[2 + state]);
  if (site.working != DType::f32) types.push_back({inputs[0].shape, site.working});
  return types;
}

std::string SgdUpdate::rule() const {
  return attribute_text("momentum", momentum) + (nesterov ? " nesterov=yes " : " ") +
         attribute_text("weight_decay", weight_decay);
}

double SgdUpdate::flops_per_element() const {
  return 2 + (weight_decay != 0 ? 2 : 0) + (momentum != 0 ? 2 : 0) + (nesterov ? 2 : 0);
}

std::string MomentsUpdate::rule() const {
  return attribute_text("beta1", beta1, "beta2", beta2, "epsilon", epsilon, "weight_decay", weight_decay);
}

std::string LarsUpdate::rule() const {
  return attribute_text("momentum", momentum, "weight_decay", weight_decay, "trust_coefficient", trust_coefficient,
                        "epsilon", epsilon);
}

std::vector<TensorType> LambMeasure::infer(Types inputs) const {
  require_inputs(*this, inputs);
  return {inputs[2], inputs[3], norms_type(*this)};
}

std::vector<TensorType> TensorNorms::infer(Types inputs) const {
  require_inputs(*this, inputs);
  return {norms_type(*this)};
}

std::vector<TensorType> SquaredNorm::infer(Types inputs) const {
  require(inputs.size() == 1, "squared_norm: wrong number of inputs");
  return {{{1}, DType::f32}};
}

}  // namespace ddlbench::graph
