#include "strategies/passes/cycles.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>

#include "base/counted.h"
#include "base/error.h"
#include "base/number.h"
#include "strategies/passes/op_times.h"

namespace ddlbench::strategies {
namespace {

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

Cycles find_cycles(const program::Program& training, const FlatLayout& layout, const program::CostTable& costs,
                   double seconds) {
  Cycles cycles;
  const OpTimes times = op_times(training, costs);
  const auto& [ops, ends, measured] = times;
  cycles.measured = measured;
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

  const std::vector<std::size_t> makers = gradient_makers(times, training, layout);
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
  std::string text = fmt::format("negotiations: {} in cycles of {} ms, {} of them with gradients, in {}",
                                 cycles.all.size(), to_text(milliseconds), with_gradients, counted(buckets, "bucket"));
  if (cycles.left_out > 0) text += fmt::format("; {} cycles during long ops are left out", cycles.left_out);
  return text + remark_on_times(cycles.measured);
}

}  // namespace ddlbench::strategies
