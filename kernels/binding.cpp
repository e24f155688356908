#include "kernels/binding.h"

#include <fmt/core.h>
#include <algorithm>

#include "base/join.h"

namespace ddlbench::kernels {
namespace {

constexpr const char* f32_alone = "this device computes it only in f32";

std::string list(const std::vector<graph::TensorType>& types) {
  return "(" + joined(types, ", ", [](const graph::TensorType& type) { return graph::to_string(type); }) + ")";
}

bool all_full(const std::vector<std::int64_t>& alignments) {
  return std::all_of(alignments.begin(), alignments.end(), [](std::int64_t one) { return one == full_alignment; });
}

bool all_are(const std::vector<graph::TensorType>& types, graph::DType dtype) {
  return std::all_of(types.begin(), types.end(), [dtype](const auto& type) { return type.dtype == dtype; });
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
  for (const int output : binding.written) text += fmt::format(" but {}", output);
  return text;
}

bool fully_aligned(const Binding& binding) {
  return all_full(binding.input_alignments) && all_full(binding.output_alignments);
}

std::string describe_alignment(const Binding& binding) {
  if (fully_aligned(binding)) return "";
  return fmt::format(" aligned ({}) -> ({})", joined(binding.input_alignments), joined(binding.output_alignments));
}

void reject(const Binding& binding, std::string_view why) {
  throw InputError(fmt::format("cannot bind {}: {}", describe(binding), why));
}

void expect(const Binding& binding, bool holds, std::string_view why) {
  if (!holds) reject(binding, why);
}

void expect_operands(const Binding& binding, std::size_t inputs, std::size_t outputs) {
  if (binding.inputs.size() == inputs && binding.outputs.size() == outputs) return;
  reject(binding, fmt::format("it needs {} inputs and {} outputs", inputs, outputs));
}

void expect_inferred(const Binding& binding, std::size_t inputs, std::size_t outputs) {
  expect_operands(binding, inputs, outputs);
  std::vector<graph::TensorType> types;
  try {
    types = binding.op->infer(binding.inputs);
  } catch (const InputError& error) {
    reject(binding, error.what());
  }
  expect(binding, binding.outputs == types, "the op has other outputs");
}

bool takes(Storage storage, graph::DType dtype) {
  using graph::DType;
  return dtype == DType::f32 || (dtype == DType::bf16 && storage != Storage::f32) ||
         (dtype == DType::f16 && storage == Storage::any_float);
}

void expect_float(const Binding& binding, graph::DType dtype, Storage storage) {
  expect(binding, takes(storage, dtype),
         storage == Storage::any_float     ? "it needs f32, bf16 or f16"
         : storage == Storage::f32_or_bf16 ? "it needs f32 or bf16"
                                           : f32_alone);
}

void expect_floats(const Binding& binding, std::size_t inputs, std::size_t outputs, Storage storage) {
  expect_operands(binding, inputs, outputs);
  const graph::DType dtype = binding.inputs[0].dtype;
  expect_float(binding, dtype, storage);
  expect(binding, all_are(binding.inputs, dtype) && all_are(binding.outputs, dtype),
         storage == Storage::f32 ? f32_alone : "its operands must have the same type");
}

void expect_f32(const Binding& binding, std::size_t inputs, std::size_t outputs) {
  expect_floats(binding, inputs, outputs, Storage::f32);
}

void expect_no_accumulation(const Binding& binding) {
  expect(binding, !binding.accumulate, "it cannot accumulate into its outputs");
}

}  // namespace ddlbench::kernels
