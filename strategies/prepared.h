#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "program/mesh.h"
#include "strategies/passes/lower.h"
#include "strategies/passes/stage_map.h"
#include "strategies/passes/untie.h"
#include "strategies/spec.h"
#include "strategies/strategy.h"

namespace ddlbench::strategies {

/// The model of a plan, divided into stages and sharded, with its backward pass: what all roles share.
struct Prepared {
  ShardedGraph train, evaluate;
  StageMap train_stages, evaluate_stages;
  std::map<graph::TensorId, Tie> ties;
};

/// Plans the stages of `spec` if it says so. Appends to `choices` what readers of the plan cannot see in the settings.
/// `shares`: of each data-parallel rank in a micro-batch (shares.h). Throws Unsupported where the model cannot be
/// divided so.
Prepared prepare(const Task& task, StrategySpec& spec, const program::Mesh& mesh,
                 const std::vector<std::int64_t>& shares, std::vector<std::string>& choices);

/// Returns the weight_delay() of each parameter, without flush.
std::map<std::string, std::int64_t> weight_delays(const Prepared& prepared);

}  // namespace ddlbench::strategies
