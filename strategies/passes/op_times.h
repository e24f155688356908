#pragma once

#include <string>
#include <vector>

#include "program/cost_table.h"
#include "strategies/passes/layout.h"

namespace ddlbench::strategies {

/// The ops of the layers in a training step, in order, and their times on a rank that never waits.
struct OpTimes {
  std::vector<const program::Instruction*> ops;
  std::vector<double> ends;  ///< of each op, from the step's begin on, in seconds
  bool measured = false;     ///< by a cost table for all ops, not assumed from FLOPs
};

/// The speed of a rank where times are not measured.
inline constexpr double assumed_flops_per_second = 1e11;

/// `training` is the program without any communication of gradients, and must outlive the result. The times are those
/// of `costs` or, where it lacks one, follow from FLOPs.
OpTimes op_times(const program::Program& training, const program::CostTable& costs);

/// Returns whether an instruction is an op of a layer: whether its time counts.
bool is_layer_op(const program::Instruction& instruction);

/// Returns, for each parameter of `layout`, the index of the op that writes its gradient last.
std::vector<std::size_t> gradient_makers(const OpTimes& times, const program::Program& training,
                                         const FlatLayout& layout);
/// Returns, for each parameter, the index of the op that reads it first; of the last op if none does.
std::vector<std::size_t> first_readers(const OpTimes& times, const program::Program& training,
                                       const FlatLayout& layout);

/// Returns what readers of a plan should know about times that are not measured; empty if they are.
std::string remark_on_times(bool measured);

}  // namespace ddlbench::strategies
