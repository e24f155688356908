#include "strategies/passes/op_times.h"

#include <fmt/core.h>
#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/number.h"

namespace ddlbench::strategies {
namespace {

constexpr std::size_t nothing = static_cast<std::size_t>(-1);

const program::Compute& compute_of(const program::Instruction& op) {
  return std::get<program::Compute>(op.action);
}

std::optional<double> measured_seconds(const program::Compute& compute, const program::CostTable& costs) {
  const program::OpCost* cost = costs.find(program::cost_key(compute));
  return cost == nullptr ? std::nullopt : cost->seconds;
}

double assumed_seconds(const program::Compute& compute) {
  return compute.op->flops(program::types_of(compute.inputs), program::types_of(compute.outputs)) /
         assumed_flops_per_second;
}

/// Calls use(parameter) for each parameter of which `operand` holds elements, if it lies in a persistent buffer of
/// `memory_class`.
void for_each_parameter(const program::Operand& operand, const program::Program& training,
                        program::MemoryClass memory_class, const FlatLayout& layout, auto&& use) {
  const program::Buffer& buffer = training.buffers[static_cast<std::size_t>(operand.view.buffer)];
  if (buffer.memory_class != memory_class || !buffer.persistent) return;
  const auto element = static_cast<std::int64_t>(graph::size_of(layout.dtype));
  const std::int64_t begin = operand.view.offset / element, end = begin + operand.view.bytes / element;
  for (std::size_t p = 0; p < layout.parameters.size(); ++p) {
    const GradientRange& range = layout.parameters[p].range;
    if (range.begin < end && begin < range.end) use(p);
  }
}

}  // namespace

OpTimes op_times(const program::Program& training, const program::CostTable& costs) {
  OpTimes times;
  for (const program::Instruction& instruction : training.bodies.front())
    if (is_layer_op(instruction)) times.ops.push_back(&instruction);
  times.measured = std::all_of(times.ops.begin(), times.ops.end(), [&costs](const program::Instruction* op) {
    return measured_seconds(compute_of(*op), costs).has_value();
  });
  double now = 0;
  for (const program::Instruction* op : times.ops) {
    const program::Compute& compute = compute_of(*op);
    now += times.measured ? *measured_seconds(compute, costs) : assumed_seconds(compute);
    times.ends.push_back(now);
  }
  return times;
}

bool is_layer_op(const program::Instruction& instruction) {
  if (!std::holds_alternative<program::Compute>(instruction.action)) return false;
  return instruction.phase != program::Phase::communication && instruction.phase != program::Phase::optimizer;
}

std::vector<std::size_t> gradient_makers(const OpTimes& times, const program::Program& training,
                                         const FlatLayout& layout) {
  std::vector<std::size_t> makers(layout.parameters.size(), nothing);
  for (std::size_t i = 0; i < times.ops.size(); ++i)
    for (const program::Operand& output : compute_of(*times.ops[i]).outputs)
      for_each_parameter(output, training, program::MemoryClass::gradients, layout,
                         [&makers, i](std::size_t p) { makers[p] = i; });
  for (std::size_t p = 0; p < makers.size(); ++p)
    require(makers[p] != nothing, "no op of a layer writes the gradient of parameter {}", p);
  return makers;
}

std::vector<std::size_t> first_readers(const OpTimes& times, const program::Program& training,
                                       const FlatLayout& layout) {
  std::vector<std::size_t> readers(layout.parameters.size(), times.ops.size() - 1);
  for (std::size_t i = times.ops.size(); i-- > 0;)
    for (const program::Operand& input : compute_of(*times.ops[i]).inputs)
      for_each_parameter(input, training, program::MemoryClass::parameters, layout,
                         [&readers, i](std::size_t p) { readers[p] = i; });
  return readers;
}

std::string remark_on_times(bool measured) {
  if (measured) return "";
  return fmt::format("; times assumed from FLOPs, at {} GFLOP/s (ddlbench profile measures them)",
                     to_text(assumed_flops_per_second * 1e-9));
}

}  // namespace ddlbench::strategies
