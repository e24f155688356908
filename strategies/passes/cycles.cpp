#include "strategies/passes/cycles.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/number.h"

namespace ddlbench::strategies {
namespace {

std::vector<const program::Instruction*> layer_ops(const program::Program& training) {
  std::vector<const program::Instruction*> ops;
  for (const program::Instruction& instruction : training.bodies.front())
    if (is_layer_op(instruction)) ops.push_back(&instruction);
  return ops;
}

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

/// Returns, for each op, the time from the step's begin to its end. Sets `measured`.
std::vector<double> ends_of(const std::vector<const program::Instruction*>& ops, const program::CostTable& costs,
                            bool& measured) {
  measured = std::all_of(ops.begin(), ops.end(), [&costs](const program::Instruction* op) {
    return measured_seconds(compute_of(*op), costs).has_value();
  });
  std::vector<double> ends;
  double now = 0;
  for (const program::Instruction* op : ops) {
    const program::Compute& compute = compute_of(*op);
    now += measured ? *measured_seconds(compute, costs) : assumed_seconds(compute);
    ends.push_back(now);
  }
  return ends;
}

/// Returns, for each parameter, the op that writes its gradient last.
std::vector<std::size_t> makers_of(const std::vector<const program::Instruction*>& ops,
                                   const program::Program& training, const FlatLayout& layout) {
  constexpr std::size_t nothing = static_cast<std::size_t>(-1);
  const auto element = static_cast<std::int64_t>(graph::size_of(layout.dtype));
  std::vector<std::size_t> makers(layout.parameters.size(), nothing);
  for (std::size_t i = 0; i < ops.size(); ++i)
    for (const program::Operand& output : compute_of(*ops[i]).outputs) {
      const program::Buffer& buffer = training.buffers[static_cast<std::size_t>(output.view.buffer)];
      if (buffer.memory_class != program::MemoryClass::gradients || !buffer.persistent) continue;
      const std::int64_t begin = output.view.offset / element, end = begin + output.view.bytes / element;
      for (std::size_t p = 0; p < makers.size(); ++p) {
        const GradientRange& range = layout.parameters[p].range;
        if (range.begin < end && begin < range.end) makers[p] = i;
      }
    }
  for (std::size_t p = 0; p < makers.size(); ++p)
    require(makers[p] != nothing, "no op of a layer writes the gradient of parameter {}", p);
  return makers;
}

/// Returns the first op of the backward pass of the last micro-batch.
std::size_t begin_of_backward(const std::vector<const program::Instruction*>& ops) {
  const int last = ops.empty() ? 0 : ops.back()->microbatch;
  const auto found = std::find_if(ops.begin(), ops.end(), [last](const program::Instruction* op) {
    return op->microbatch == last && op->phase != program::Phase::forward;
  });
  require(found != ops.end(), "a training step has no backward pass");
  return static_cast<std::size_t>(found - ops.begin());
}

}  // namespace

bool is_layer_op(const program::Instruction& instruction) {
  if (!std::holds_alternative<program::Compute>(instruction.action)) return false;
  return instruction.phase != program::Phase::communication && instruction.phase != program::Phase::optimizer;
}

Cycles find_cycles(const program::Program& training, const FlatLayout& layout, const program::CostTable& costs,
                   double seconds) {
  Cycles cycles;
  const auto ops = layer_ops(training);
  const std::vector<double> ends = ends_of(ops, costs, cycles.measured);
  const std::size_t backward = begin_of_backward(ops);
  std::vector<int> cycle_of_op(ops.size(), 0);
  double number = std::floor((backward == 0 ? 0 : ends[backward - 1]) / seconds);
  for (std::size_t i = backward; i < ops.size(); ++i) {
    const double own = std::ceil(ends[i] / seconds) - 1;  // an op that ends together with a cycle belongs to it
    if (own > number) {
      const auto idle = static_cast<std::int64_t>(own - number) - 1;
      cycles.all.insert(cycles.all.end(), static_cast<std::size_t>(1 + std::min(idle, most_idle)), Cycle{i, {}});
      cycles.left_out += std::max(idle - most_idle, std::int64_t{0});
      number = own;
    }
    cycle_of_op[i] = static_cast<int>(cycles.all.size());
  }
  cycles.all.push_back({ops.size(), {}});

  const std::vector<std::size_t> makers = makers_of(ops, training, layout);
  cycles.of_gradient.resize(makers.size());
  int latest = 0;
  for (std::size_t p = makers.size(); p-- > 0;) {
    latest = std::max(latest, cycle_of_op[makers[p]]);
    cycles.of_gradient[p] = latest;
    graph::Extent& ready = cycles.all[static_cast<std::size_t>(latest)].ready;
    const auto index = static_cast<std::int64_t>(p);
    ready = {index, ready.size() == 0 ? index + 1 : ready.end};
  }
  return cycles;
}

std::string describe(const Cycles& cycles, double milliseconds, std::size_t buckets) {
  const auto with_gradients =
      std::count_if(cycles.all.begin(), cycles.all.end(), [](const Cycle& cycle) { return cycle.ready.size() > 0; });
  std::string text =
      fmt::format("negotiations: {} in cycles of {} ms, {} of them with gradients, in {} {}", cycles.all.size(),
                  to_text(milliseconds), with_gradients, buckets, buckets == 1 ? "bucket" : "buckets");
  if (cycles.left_out > 0) text += fmt::format("; {} cycles during long ops are left out", cycles.left_out);
  if (!cycles.measured)
    text += fmt::format("; times assumed from FLOPs, at {} GFLOP/s (ddlbench profile measures them)",
                        to_text(assumed_flops_per_second * 1e-9));
  return text;
}

}  // namespace ddlbench::strategies
