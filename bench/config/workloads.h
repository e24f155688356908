#pragma once

#include <nlohmann/json.hpp>

#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// A resolved `/workload` (one or a list of them, each with a model or a list of them) as the list of what it stands
/// for: workloads of one model each, in the order in which they stand.
struct WorkloadPoint {
  std::string pointer;        ///< of the workload: "/workload", "/workload/1"
  std::string model_pointer;  ///< "/workload/model", "/workload/1/model/2"
  nlohmann::ordered_json workload;
};
std::vector<WorkloadPoint> each_workload(const nlohmann::ordered_json& workload);

/// The resolved configuration of one of them: its learning rate, if it has one of its own, stands in the optimizer.
nlohmann::ordered_json with_workload(nlohmann::ordered_json resolved, const WorkloadPoint& point);

/// The experiment as it is for one of its workloads, or for the workload of a case, without the locations of what was
/// written: the whole has them.
Experiment of_workload(const Experiment& experiment, std::size_t index);
Experiment of_case(const Experiment& experiment, const Case& which);

}  // namespace ddlbench::bench
