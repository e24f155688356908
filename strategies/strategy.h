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

/// This strategy cannot run this model on so many ranks: the message names the numbers and the remedy.
/// A case's status becomes `unsupported`.
class Unsupported : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a strategy compiles.
struct Task {
  const graph::Graph& model;  ///< forward, of any batch
  std::int64_t global_batch = 0;
  int ranks = 1;
  graph::Optimizer optimizer;
  const program::CostTable& costs;  ///< may be empty: FLOPs then stand for time
  std::int64_t channel_block = 1;   ///< that the ranks' devices want (kernels::DeviceKind), or graph::all_channels
};

/// What can be written in a config: a compiler from a model graph and a number of ranks to one Program per role, which
/// never touches a tensor.
struct StrategyKind {
  std::string name;
  Family family = Family::single;
  std::string help;
  std::vector<Option> options;
  /// The plan, before program::complete. Options that are not given have their defaults. Throws Unsupported,
  /// InputError.
  std::function<program::Plan(const Task& task, const OptionValues& options)> compile;
  /// The ranks that its options fix (1, or a hybrid's mesh); empty where it runs on any number. Throws InputError.
  std::function<int(const OptionValues& options)> fixed_ranks = {};
};

/// All strategies of this build, in the order of families.
const std::vector<StrategyKind>& strategy_kinds();

/// Throws InputError naming the nearest.
const StrategyKind& find_strategy(const std::string& name);

}  // namespace ddlbench::strategies
