#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kernels/device.h"

namespace ddlbench::kernels {

/// "conv2d stride=1 padding=0 activation=none (f32[2x1x5x5], f32[4x1x3x3]) -> (f32[2x4x3x3]) accumulate"
std::string describe(const Binding& binding);

/// Whether all operands are aligned to full_alignment.
bool fully_aligned(const Binding& binding);
/// " aligned (16, 4) -> (16)"; "" where all are fully aligned.
std::string describe_alignment(const Binding& binding);

/// Throws InputError "cannot bind DESCRIPTION: WHY".
[[noreturn]] void refuse(const Binding& binding, std::string_view why);

/// Refuses unless `holds`.
void expect(const Binding& binding, bool holds, std::string_view why);

/// Refuses unless there are so many inputs and outputs.
void expect_operands(const Binding& binding, std::size_t inputs, std::size_t outputs);

/// Whether `holds` is true of the type of some input or output.
bool any_operand(const Binding& binding, const auto& holds) {
  return std::any_of(binding.inputs.begin(), binding.inputs.end(), holds) ||
         std::any_of(binding.outputs.begin(), binding.outputs.end(), holds);
}

/// Of channel blocks (graph::TensorType), that the cpu's kernels take: they keep numbers of a block on the stack.
inline constexpr std::int64_t longest_channel_block = 64;

/// The types of floating-point numbers that a device takes for an op: sizes are the same for all.
enum class Storage : std::uint8_t { f32, f32_or_bf16, any_float };

bool takes(Storage storage, graph::DType dtype);

/// Refuses a dtype that is no floating-point number of those.
void expect_float(const Binding& binding, graph::DType dtype, Storage storage);

/// Refuses unless there are so many inputs and outputs, all f32.
void expect_f32(const Binding& binding, std::size_t inputs, std::size_t outputs);

/// Refuses unless there are so many inputs and outputs, all of the one type of the first input, which is one of those.
void expect_floats(const Binding& binding, std::size_t inputs, std::size_t outputs, Storage storage);

/// Refuses a binding that accumulates: for ops whose result cannot be added to what is there.
void expect_no_accumulation(const Binding& binding);

/// The op's attributes. Throws ContractError where its kind is another op's.
template <class Op>
const Op& attributes_of(const Binding& binding) {
  const auto* op = dynamic_cast<const Op*>(binding.op.get());
  require(op != nullptr, "an op's kind names another struct");
  return *op;
}

}  // namespace ddlbench::kernels
