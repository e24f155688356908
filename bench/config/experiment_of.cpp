#include "bench/config/experiment_of.h"

#include <fmt/core.h>

#include "bench/config/resolve.h"
#include "bench/config/settings.h"
#include "bench/config/workloads.h"
#include "json/pointer.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the kind and the settings that differ from their defaults.
std::string label(const Choice& choice, const Field& field) {
  std::string text = choice.kind;
  for (const Field& setting : field.find_kind(choice.kind)->fields) {
    if (setting.common) continue;
    const auto& value = choice.options.at(setting.name);
    if (!is_default(value, setting)) text += fmt::format(" {}={}", setting.name, short_text(value));
  }
  return text;
}

/// Labels each workload by the kind of its model. Models of the same kind are told apart by the settings that differ
/// from their defaults.
void label_workloads(const Field& model, std::vector<WorkloadChoice>& all) {
  std::map<std::string, int> of_kind;
  for (const WorkloadChoice& one : all) ++of_kind[one.workload.model.kind];
  for (WorkloadChoice& one : all) {
    const Choice& chosen = one.workload.model;
    one.workload.derived.label = of_kind[chosen.kind] > 1 ? label(chosen, model) : chosen.kind;
  }
}

/// Reads an experiment with one workload.
Experiment read(const Json& resolved, const Field& table, const Registries& registries) {
  Experiment made;
  SettingsReader reader(resolved, table.fields);
  describe(reader, made);
  made.resolved = resolved.dump(2) + "\n";
  const Field& strategies = *find(table.fields, "strategies");
  for (std::size_t i = 0; i < made.strategies.size(); ++i) {
    StrategyChoice& strategy = made.strategies[i];
    strategy.pointer = json::child("/strategies", i);
    strategy.label = label(strategy.choice, strategies);
  }
  const TransportChoice& transport_choice = registries.transport_choice(made.devices.transport);
  made.devices.transport = transport_choice.transport;
  made.devices.derived.channel = transport_choice.channel;
  return made;
}

}  // namespace

Experiment experiment_of(const Json& resolved, const Field& table, const Registries& registries) {
  const std::vector<WorkloadPoint> points = each_workload(resolved.at("workload"));
  Json without_workload = resolved;
  without_workload["workload"] = nullptr;
  std::vector<WorkloadChoice> workloads;
  Experiment first;
  for (const WorkloadPoint& point : points) {
    Experiment one = read(with_workload(without_workload, point), table, registries);
    workloads.push_back(
        {point.pointer, point.model_pointer, one.workload, one.training.learning_rate(), std::move(one.resolved)});
    if (workloads.size() == 1) first = std::move(one);
  }
  label_workloads(*find(find(table.fields, "workload")->fields, "model"), workloads);
  first.workload = workloads.front().workload;
  first.workloads = std::move(workloads);
  first.resolved = resolved.dump(2) + "\n";
  return first;
}

}  // namespace ddlbench::bench
