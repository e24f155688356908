#include "simulator/simulate.h"

#include <cmath>

#include "base/error.h"
#include "simulator/machine.h"

namespace ddlbench::simulator {

Simulation simulate(const program::Plan& plan, const program::CostTable& costs, const Cluster& cluster,
                    const Options& options) {
  require(options.steps.count > 0, "at least one step must be simulated");
  require(options.input_seconds.empty() || options.input_seconds.size() == static_cast<std::size_t>(plan.ranks()),
          "the input must be known for all ranks or for none");
  require_valid(cluster, plan.ranks());
  Machine machine(plan, costs, cluster, options);
  Simulation simulation = machine.run();
  const double share = 1.0 / (plan.ranks() * static_cast<double>(simulation.steps.size()));
  for (const auto& timelines : simulation.steps)
    for (const program::StepTimeline& timeline : timelines)
      simulation.step_seconds += static_cast<double>(timeline.end - timeline.begin) * 1e-9 * share;
  return simulation;
}

}  // namespace ddlbench::simulator
