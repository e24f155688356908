#include "bench/config/contract.h"

#include <nlohmann/json.hpp>

#include "bench/records/digest.h"

namespace ddlbench::bench {
namespace {

/// Keys sorted, so that the order in which a person wrote them does not count.
nlohmann::json contract(const Experiment& experiment, std::uint64_t seed) {
  const auto resolved = nlohmann::json::parse(experiment.resolved);
  nlohmann::json shared{{"workload", resolved.at("workload")}, {"training", resolved.at("training")}};
  shared["workload"].erase("global_batch");
  shared["training"].erase("target");  // what is looked for changes nothing that is done
  shared["training"]["seed"] = seed;
  // The same links are part of the same resources.
  if (experiment.devices.throttle.any()) shared["throttle"] = resolved.at("devices").at("throttle");
  // A GPU's rows beside a processor's would compare machines, not strategies.
  if (experiment.devices.apart) shared["device"] = experiment.devices.kind;
  return shared;
}

}  // namespace

std::string contract_id(const Experiment& experiment, std::int64_t global_batch, std::uint64_t seed) {
  auto text = contract(experiment, seed);
  text["workload"]["global_batch"] = global_batch;
  return hash_of(text.dump());
}

std::string scaling_id(const Experiment& experiment, std::uint64_t seed) {
  return hash_of(contract(experiment, seed).dump());
}

}  // namespace ddlbench::bench
