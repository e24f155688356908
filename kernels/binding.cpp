#include "kernels/binding.h"

#include <algorithm>

namespace ddlbench::kernels {
namespace {

std::string list(const std::vector<graph::TensorType>& types) {
  std::string text = "(";
  for (const auto& type : types) {
    if (text.size() > 1) text += ", ";
    text += graph::to_string(type);
  }
  return text + ")";
}

bool all_f32(const std::vector<graph::TensorType>& types) {
  return std::all_of(types.begin(), types.end(), [](const auto& type) { return type.dtype == graph::DType::f32; });
}

}  // namespace

std::string describe(const Binding& binding) {
  std::string text(binding.op->kind());
  const std::string attributes = binding.op->attributes();
  if (!attributes.empty()) text.append(" ").append(attributes);
  text += " ";
  text += list(binding.inputs);
  text += " -> ";
  text += list(binding.outputs);
  if (binding.accumulate) text += " accumulate";
  return text;
}

void refuse(const Binding& binding, std::string_view why) {
  throw InputError("cannot bind " + describe(binding) + ": " + std::string(why));
}

void expect(const Binding& binding, bool holds, std::string_view why) {
  if (!holds) refuse(binding, why);
}

void expect_operands(const Binding& binding, std::size_t inputs, std::size_t outputs) {
  if (binding.inputs.size() == inputs && binding.outputs.size() == outputs) return;
  refuse(binding, "it takes " + std::to_string(inputs) + " inputs and " + std::to_string(outputs) + " outputs");
}

void expect_f32(const Binding& binding, std::size_t inputs, std::size_t outputs) {
  expect_operands(binding, inputs, outputs);
  expect(binding, all_f32(binding.inputs) && all_f32(binding.outputs), "this device computes it in f32 alone");
}

void expect_no_accumulation(const Binding& binding) {
  expect(binding, !binding.accumulate, "its outputs cannot be accumulated");
}

}  // namespace ddlbench::kernels
