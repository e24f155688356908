#include "bench/config/variants.h"

#include <algorithm>

namespace ddlbench::bench {
namespace {

Devices devices_of_variant(const Experiment& experiment, const Variant& chosen) {
  Devices devices = chosen.devices;
  devices.kind = experiment.devices.kind;
  devices.derived = experiment.devices.derived;
  devices.derived.channel = chosen.devices.derived.channel;
  return devices;
}

}  // namespace

std::string Variant::pointer_of(const std::string& setting) const {
  std::string pointer = setting;
  std::size_t replaced = 0;
  for (const AxisValue& axis : axes) {
    const bool is_around = setting == axis.setting || setting.starts_with(axis.setting + "/");
    if (!is_around || axis.setting.size() < replaced) continue;
    replaced = axis.setting.size();
    pointer = axis.pointer + setting.substr(replaced);
  }
  return pointer;
}

Experiment of_variant(const Experiment& experiment, std::size_t index) {
  if (experiment.variants.empty()) return experiment;
  const Variant& chosen = experiment.variants.at(index);
  const auto& [name, workload, training, devices, strategies, measure, sweep, sources, resolved, locations, variants,
               combinations, derived] = experiment;
  Experiment one{
      name, chosen.workload, chosen.training, chosen.devices, strategies, measure, {}, sources, chosen.resolved, {}, {},
      {},   derived};
  one.devices = devices_of_variant(experiment, chosen);
  return one;
}

Experiment of_case(const Experiment& experiment, const Case& which) {
  return of_variant(experiment, static_cast<std::size_t>(which.variant));
}

Devices devices_of(const Experiment& experiment, const Case& which) {
  if (experiment.variants.empty()) return experiment.devices;
  return devices_of_variant(experiment, experiment.variants.at(static_cast<std::size_t>(which.variant)));
}

bool any_needs_launcher(const Experiment& experiment) {
  const auto& all = experiment.variants;
  if (all.empty()) return experiment.devices.needs_launcher();
  return std::any_of(all.begin(), all.end(), [](const Variant& one) { return one.devices.needs_launcher(); });
}

}  // namespace ddlbench::bench
