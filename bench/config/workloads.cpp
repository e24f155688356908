#include "bench/config/workloads.h"

#include "json/pointer.h"

namespace ddlbench::bench {

using Json = nlohmann::ordered_json;

std::vector<WorkloadPoint> each_workload(const Json& workload) {
  std::vector<WorkloadPoint> points;
  const auto add = [&points](const Json& one, const std::string& pointer) {
    const Json& model = one.at("model");
    const std::string at = json::child(pointer, "model");
    if (!model.is_array()) {
      points.push_back({pointer, at, one});
      return;
    }
    Json without_models = one;
    without_models["model"] = nullptr;
    for (std::size_t i = 0; i < model.size(); ++i) {
      points.push_back({pointer, json::child(at, i), without_models});
      points.back().workload["model"] = model[i];
    }
  };
  if (!workload.is_array()) add(workload, "/workload");
  for (std::size_t i = 0; workload.is_array() && i < workload.size(); ++i)
    add(workload[i], json::child("/workload", i));
  return points;
}

Json with_workload(Json resolved, const WorkloadPoint& point) {
  Json& workload = resolved["workload"] = point.workload;
  if (const auto rate = workload.find("learning_rate"); rate != workload.end()) {
    resolved["training"]["optimizer"]["learning_rate"] = *rate;
    workload.erase(rate);
  }
  return resolved;
}

Experiment of_workload(const Experiment& experiment, std::size_t index) {
  if (experiment.workloads.empty()) return experiment;
  const WorkloadChoice& chosen = experiment.workloads.at(index);
  const auto& [name, workload, training, devices, strategies, measure, sources, resolved, locations, workloads,
               derived] = experiment;
  Experiment one{name,    chosen.workload, training, devices, strategies, measure,
                 sources, chosen.resolved, {},       {},      derived};
  one.training.optimizer.options["learning_rate"] = chosen.learning_rate;
  return one;
}

Experiment of_case(const Experiment& experiment, const Case& which) {
  return of_workload(experiment, static_cast<std::size_t>(which.workload));
}

}  // namespace ddlbench::bench
