#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kernels/device.h"

namespace ddlbench::kernels {

/// Returns a description such as "conv2d stride=1 padding=0 activation=none (f32[2x1x5x5], f32[4x1x3x3]) ->
/// (f32[2x4x3x3]) accumulate".
std::string describe(const Binding& binding);

/// Returns whether all operands are aligned to full_alignment.
bool fully_aligned(const Binding& binding);
/// Returns text such as " aligned (16, 4) -> (16)", or "" if all operands are aligned to full_alignment.
std::string describe_alignment(const Binding& binding);

/// Throws InputError "cannot bind DESCRIPTION: WHY".
[[noreturn]] void reject(const Binding& binding, std::string_view why);

/// Rejects the binding (InputError, see reject) unless `holds`.
void expect(const Binding& binding, bool holds, std::string_view why);

inline constexpr std::string_view shape_mismatch = "the shapes do not fit together";

/// Rejects the binding unless it has exactly this number of inputs and outputs.
void expect_operands(const Binding& binding, std::size_t inputs, std::size_t outputs);

/// Rejects the binding unless it has exactly this number of inputs and outputs, and the outputs that the op infers.
void expect_inferred(const Binding& binding, std::size_t inputs, std::size_t outputs);

/// Returns whether the predicate `holds` is true for the type of any input or output.
bool any_operand(const Binding& binding, const auto& holds) {
  return std::any_of(binding.inputs.begin(), binding.inputs.end(), holds) ||
         std::any_of(binding.outputs.begin(), binding.outputs.end(), holds);
}

/// The largest channel block (graph::TensorType) that kernels of the cpu device support: they keep the values of one
/// block on the stack.
inline constexpr std::int64_t max_channel_block = 64;

/// The floating-point types that a device supports for an op. The shapes that it supports are the same for all of them.
enum class Storage : std::uint8_t { f32, f32_or_bf16, any_float };

bool takes(Storage storage, graph::DType dtype);

/// Rejects the binding unless `dtype` is one of the floating-point types of `storage`.
void expect_float(const Binding& binding, graph::DType dtype, Storage storage);

/// Rejects the binding unless it has exactly this number of inputs and outputs, all f32.
void expect_f32(const Binding& binding, std::size_t inputs, std::size_t outputs);

/// Rejects the binding unless it has exactly this number of inputs and outputs, all of the type of the first input,
/// which must be one of the types of `storage`.
void expect_floats(const Binding& binding, std::size_t inputs, std::size_t outputs, Storage storage);

/// Rejects a binding that accumulates. For ops whose result cannot be added to the previous content of the output.
void expect_no_accumulation(const Binding& binding);

/// Returns the op's attributes. Throws ContractError if the op is not an `Op`.
template <class Op>
const Op& attributes_of(const Binding& binding) {
  const auto* op = dynamic_cast<const Op*>(binding.op.get());
  require(op != nullptr, "an op's kind names another struct");
  return *op;
}

}  // namespace ddlbench::kernels
