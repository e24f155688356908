#include "bench/config/experiment_of.h"

#include <fmt/core.h>
#include <set>

#include "bench/config/axes.h"
#include "bench/config/resolve.h"
#include "bench/config/settings.h"
#include "json/pointer.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the kind and the settings that differ from their defaults.
std::string label(const Choice& choice, const Field& field) {
  std::string text = choice.kind;
  for (const Field& setting : field.kind_named(choice.kind).fields) {
    if (setting.common) continue;
    const auto& value = choice.options.at(setting.name);
    if (!is_default(value, setting)) text += fmt::format(" {}={}", setting.name, short_text(value));
  }
  return text;
}

/// Labels each workload by the kind of its model. Models of the same kind are told apart by the settings that differ
/// from their defaults.
void label_workloads(const Field& model, std::vector<Variant>& all) {
  std::map<std::string, std::set<std::string>> of_kind;
  for (Variant& one : all) {
    const Choice& chosen = one.workload.model;
    one.workload.derived.label = label(chosen, model);
    of_kind[chosen.kind].insert(one.workload.derived.label);
  }
  for (Variant& one : all) {
    const std::string& kind = one.workload.model.kind;
    if (of_kind.at(kind).size() == 1) one.workload.derived.label = kind;
  }
}

/// The strategies without lists.
struct Strategies {
  Json resolved = Json::array();
  std::vector<StrategyChoice> places;  ///< of each: entry, index and what was chosen
};

Strategies strategies_of(const Json& entries, const Field& kinds, const Zips& zips) {
  Strategies all;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const std::string pointer = json::child("/strategies", i);
    for (Point& point : points_of(entries[i], kinds, {"/strategy", pointer}, zips)) {
      StrategyChoice& place = all.places.emplace_back();
      place.pointer = pointer;
      place.entry = static_cast<int>(i);
      place.index = static_cast<int>(all.resolved.size());
      place.axes = std::move(point.axes);
      all.resolved.push_back(std::move(point.value));
    }
  }
  return all;
}

/// Moves the learning rate of a workload, if it has its own, to the optimizer.
void move_learning_rate(Json& resolved) {
  Json& workload = resolved["workload"];
  const auto rate = workload.find("learning_rate");
  if (rate == workload.end()) return;
  resolved["training"]["optimizer"]["learning_rate"] = *rate;
  workload.erase(rate);
}

/// Returns the settings on which data, model and plans depend: not those of which only the course of a training does.
std::string compiled_settings(const Json& resolved) {
  Json kept{{"workload", resolved.at("workload")},
            {"training", resolved.at("training")},
            {"devices", resolved.at("devices")}};
  for (const char* name : {"workers", "prefetch"}) kept["workload"]["loader"].erase(name);
  kept["training"].erase("seed");
  kept["training"]["optimizer"].erase("learning_rate");
  kept["devices"].erase("threads_per_rank");
  return kept.dump();
}

/// Reads an experiment without lists.
Experiment read(const Json& resolved, const Field& table, const Registries& registries) {
  Experiment made;
  SettingsReader reader(resolved, table.fields);
  describe(reader, made);
  const TransportChoice& transport_choice = registries.transport_choice(made.devices.transport);
  made.devices.transport = transport_choice.transport;
  made.devices.derived.channel = transport_choice.channel;
  return made;
}

std::vector<StrategyChoice> read_strategies(Strategies& strategies, const Field& table) {
  Experiment made;
  const Json section{{"strategies", strategies.resolved}};
  SettingsReader reader(section, table.fields);
  reader.list("strategies", made.strategies, {}, "");
  const Field& kinds = *find(table.fields, "strategies");
  for (std::size_t i = 0; i < made.strategies.size(); ++i) {
    StrategyChoice& strategy = made.strategies[i];
    StrategyChoice& place = strategies.places[i];
    strategy.pointer = std::move(place.pointer);
    strategy.entry = place.entry;
    strategy.index = place.index;
    strategy.axes = std::move(place.axes);
    strategy.label = label(strategy.choice, kinds);
  }
  return std::move(made.strategies);
}

}  // namespace

Experiment experiment_of(const Json& resolved, const Field& table, const Registries& registries, Sweep sweep) {
  Strategies strategies = strategies_of(resolved.at("strategies"), *find(table.fields, "strategies"), sweep.zips);
  Json settings = resolved;
  settings["strategies"] = Json::array();
  settings.erase("sweep");
  std::vector<Variant> variants;
  Experiment first;
  for (Point& point : points_of(settings, table, {}, sweep.zips)) {
    Json& one = point.value;
    move_learning_rate(one);
    Experiment made = read(one, table, registries);
    one["strategies"] = strategies.resolved;
    variants.push_back({std::move(point.axes), made.workload, made.training, made.devices, one.dump(2) + "\n",
                        compiled_settings(one)});
    if (variants.size() == 1) first = std::move(made);
  }
  label_workloads(*find(find(table.fields, "workload")->fields, "model"), variants);
  first.workload = variants.front().workload;
  first.variants = std::move(variants);
  first.strategies = read_strategies(strategies, table);
  first.combinations = std::move(sweep);
  first.resolved = resolved.dump(2) + "\n";
  return first;
}

}  // namespace ddlbench::bench
