#pragma once

#include <cmath>
#include <map>
#include <string>

#include "base/error.h"
#include "program/account.h"
#include "program/check.h"
#include "program/passes.h"
#include "strategies/strategy.h"
#include "workloads/model.h"

namespace ddlbench::strategies {

/// lenet on 1×28×28: 156 + 2416 + 30840 + 10164 + 850.
inline constexpr std::int64_t lenet_parameters = 44426;

inline graph::Graph fashion_model(const std::string& name, std::int64_t batch,
                                  const graph::Shape& image = {1, 28, 28}) {
  const workloads::ModelKind& kind = workloads::find_model(name);
  return kind.build({{{image, graph::DType::f32}, {}, 10}, batch, with_defaults(kind.options, {})});
}

/// Returns a completed plan of an image model, with SGD and momentum. Images are 28×28 by default.
inline program::Plan compiled(const std::string& strategy, int ranks, std::int64_t batch, OptionValues options = {},
                              const std::string& model = "lenet", const graph::Shape& image = {1, 28, 28}) {
  const graph::Graph graph = fashion_model(model, batch, image);
  const StrategyKind& kind = find_strategy(strategy);
  const program::CostTable costs;
  program::Plan plan = kind.compile({graph, batch, ranks, graph::sgd({.momentum = 0.9f}), costs}, options);
  program::complete(plan, costs);
  return plan;
}

/// Returns a completed plan of a perceptron with `layers` equal layers, whose stages have the times of `costs`.
inline program::Plan compiled_layers(const std::string& strategy, int layers, int ranks, std::int64_t batch,
                                     OptionValues options = {}, const program::CostTable& costs = {}) {
  const Integers hidden(static_cast<std::size_t>(layers - 1), 8);
  const workloads::ModelKind& mlp = workloads::find_model("mlp");
  const graph::Graph graph = mlp.build({{{{8}, graph::DType::f32}, {}, 8}, batch, {{"hidden", hidden}}});
  const StrategyKind& kind = find_strategy(strategy);
  program::Plan plan = kind.compile({graph, batch, ranks, graph::sgd({.momentum = 0.9f}), costs}, options);
  program::complete(plan, costs);
  return plan;
}

inline std::string findings(const program::Plan& plan) {
  std::string text;
  for (const program::Finding& finding : program::check(plan)) text += to_string(finding) + "\n";
  return text;
}

/// Returns the bytes that all ranks together send in a step, by operation.
inline std::map<std::string, std::int64_t> sent_by_all(const program::Plan& plan) {
  std::map<std::string, std::int64_t> total;
  for (int rank = 0; rank < plan.ranks(); ++rank)
    for (const auto& [operation, bytes] : program::account(plan, rank).sent_bytes) total[operation] += bytes;
  return total;
}

/// Returns the bytes that `rank` sends in `steps` training steps from step `first` on, none of them in the fill.
inline program::SentBytes sent_in_steps(const program::Plan& plan, int rank, std::int64_t first, std::int64_t steps) {
  std::vector<std::int64_t> runs(plan.role(rank).train.bodies.size(), 0);
  for (std::int64_t step = first; step < first + steps; ++step)
    ++runs.at(static_cast<std::size_t>(plan.cadence.body(step)));
  return program::sent_in_runs(plan, rank, runs);
}

inline std::int64_t parameter_bytes(const program::Plan& plan, int rank) {
  return program::account(plan, rank)
      .persistent_bytes_by_class[static_cast<std::size_t>(program::MemoryClass::parameters)];
}

inline OptionValues mesh(AxisSizes axes, std::int64_t microbatches = 4) {
  return {{"mesh", std::move(axes)}, {"microbatches", microbatches}};
}

}  // namespace ddlbench::strategies
