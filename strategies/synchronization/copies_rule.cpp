#include "strategies/synchronization/copies_rule.h"

#include "strategies/synchronization/chain.h"

namespace ddlbench::strategies {
namespace {

/// Returns a matrix of `size` rows that changes nothing.
program::Matrix identity(std::size_t size) {
  program::Matrix matrix(size, std::vector<double>(size, 0.0));
  for (std::size_t i = 0; i < size; ++i) matrix[i][i] = 1;
  return matrix;
}

program::Matrix mean_of(std::size_t ranks) {
  return program::Matrix(ranks, std::vector<double>(ranks, 1.0 / static_cast<double>(ranks)));
}

/// Rows and columns: the ranks, the global weights g, and their change d. With the mean m, d' = momentum · d +
/// rate · (m − g), g' = g + d', and each rank continues from g' + ahead · d'.
program::Matrix block_momentum(std::size_t ranks, const WeightsSpec& spec) {
  const std::size_t g = ranks, d = ranks + 1;
  const double ahead = spec.nesterov ? spec.momentum : 0;
  std::vector<double> change(ranks + 2, spec.rate / static_cast<double>(ranks));
  change[g] = -spec.rate;
  change[d] = spec.momentum;
  const auto global_and = [&](double times) {
    std::vector<double> row(ranks + 2);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = times * change[i];
    row[g] += 1;
    return row;
  };
  program::Matrix matrix(ranks, global_and(1 + ahead));
  matrix.push_back(global_and(1));
  matrix.push_back(change);
  return matrix;
}

/// Rows and columns: the ranks, and the center.
program::Matrix elastic(std::size_t ranks, double strength) {
  const double share = strength / static_cast<double>(ranks);
  program::Matrix matrix = identity(ranks + 1);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    matrix[rank][rank] -= share;
    matrix[rank][ranks] = share;
    matrix[ranks][rank] = share;
  }
  matrix[ranks][ranks] -= strength;
  return matrix;
}

std::vector<program::CopiesStep> averaging_steps(const StrategySpec& spec, std::vector<bool>& auxiliaries) {
  using Kind = WeightsSpec::Kind;
  const auto ranks = static_cast<std::size_t>(spec.mesh.data_ranks());
  std::vector<program::CopiesStep> steps;
  if (spec.weights.synchronous_steps > 0) steps.push_back({.sums_gradients = true});
  if (spec.weights.every > 1) steps.emplace_back();
  program::CopiesStep& averages = steps.emplace_back();
  if (spec.weights.kind == Kind::block_momentum) {
    averages.weights = block_momentum(ranks, spec.weights);
    auxiliaries = {true, false};
  } else if (spec.weights.kind == Kind::elastic) {
    averages.weights = elastic(ranks, spec.weights.strength);
    auxiliaries = {true};
  } else {
    averages.weights = mean_of(ranks);
    if (spec.weights.averages_states) averages.states = mean_of(ranks);
  }
  return steps;
}

std::vector<program::CopiesStep> gossip_steps(const StrategySpec& spec) {
  const int ranks = spec.mesh.data_ranks();
  std::vector<program::CopiesStep> steps;
  for (const std::vector<int>& distances : gossip_distances(spec.weights, ranks)) {
    program::CopiesStep step{.mixes_first = true, .weights = identity(static_cast<std::size_t>(ranks))};
    const double share = 1.0 / static_cast<double>(distances.size() + 1);
    for (int rank = 0; rank < ranks; ++rank) {
      std::vector<double>& row = step.weights[static_cast<std::size_t>(rank)];
      row[static_cast<std::size_t>(rank)] = share;
      for (const int distance : distances) row[static_cast<std::size_t>((rank - distance + ranks) % ranks)] += share;
    }
    steps.push_back(std::move(step));
  }
  return steps;
}

}  // namespace

void add_copies(const StrategySpec& spec, program::UpdateRule& rule) {
  const std::vector<program::BucketRule> buckets = rule.steps.front().buckets;
  rule.steps.clear();
  rule.own_weights = true;
  if (!spec.weights.gossips()) {
    rule.cadence = synchronization_of(spec).cadence;
    for (program::CopiesStep& step : averaging_steps(spec, rule.auxiliaries))
      rule.steps.push_back({buckets, std::move(step)});
    return;
  }
  rule.cadence.cycle.clear();
  for (program::CopiesStep& step : gossip_steps(spec)) {
    rule.cadence.cycle.push_back({static_cast<int>(rule.steps.size()), 1});
    rule.steps.push_back({buckets, std::move(step)});
  }
}

}  // namespace ddlbench::strategies
