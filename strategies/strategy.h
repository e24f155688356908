#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/option.h"
#include "graph/graph.h"
#include "graph/ops/optimizer.h"
#include "program/cost_table.h"
#include "program/plan.h"

namespace ddlbench::strategies {

enum class Family : std::uint8_t { single, data, intra_layer, inter_layer, hybrid };

std::string_view name(Family family);

/// Thrown where a strategy cannot run a model on the given number of ranks. The message names the numbers and the
/// remedy. The case gets the status `unsupported`.
class Unsupported : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The input of a strategy's compilation.
struct Task {
  const graph::Graph& model;  ///< forward graph, of any batch size
  std::int64_t global_batch = 0;
  int ranks = 1;
  graph::Optimizer optimizer;
  const program::CostTable& costs;  ///< may be empty: FLOPs then replace times
  std::int64_t channel_block = 1;   ///< wanted by the ranks' devices (kernels::DeviceKind), or graph::all_channels
};

/// A strategy as an experiment names it: a compiler from a model graph and a number of ranks to one Program per role.
/// It never touches a tensor.
struct StrategyKind {
  std::string name;
  Family family = Family::single;
  std::string help;
  std::vector<Option> options;
  /// Returns the plan, before program::complete. Options that are not given have their defaults. Throws Unsupported or
  /// InputError.
  std::function<program::Plan(const Task& task, const OptionValues& options)> compile;
  /// Returns the number of ranks that `options` fix: 1, the size of a hybrid's mesh, or the number of speeds. Empty
  /// where the strategy runs on any number of ranks. Throws InputError.
  std::function<int(const OptionValues& options)> fixed_ranks = {};
};

/// Returns all strategies of this build, ordered by family.
const std::vector<StrategyKind>& strategy_kinds();

/// Returns the strategy called `name`. Throws InputError that names the nearest match.
const StrategyKind& find_strategy(const std::string& name);

}  // namespace ddlbench::strategies
