#pragma once

#include <nlohmann/json.hpp>

#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// One workload with one model. A resolved `/workload` is one workload or a list of them, each with one model or a list
/// of them; each_workload() returns all of these in their order.
struct WorkloadPoint {
  std::string pointer;        ///< of the workload: "/workload", "/workload/1"
  std::string model_pointer;  ///< "/workload/model", "/workload/1/model/2"
  nlohmann::ordered_json workload;
};
std::vector<WorkloadPoint> each_workload(const nlohmann::ordered_json& workload);

/// Returns the resolved configuration for one of them. Its own learning rate, if it has one, replaces the optimizer's.
nlohmann::ordered_json with_workload(nlohmann::ordered_json resolved, const WorkloadPoint& point);

/// Return the experiment restricted to one of its workloads, or to the workload of a case. The result has no locations;
/// the whole experiment has them.
Experiment of_workload(const Experiment& experiment, std::size_t index);
Experiment of_case(const Experiment& experiment, const Case& which);

}  // namespace ddlbench::bench
