#include "bench/config/contract.h"

#include "base/hash.h"
#include "bench/config/resolve.h"

namespace ddlbench::bench {
namespace {

void keep_shared_of_workload(nlohmann::json& workload) {
  workload.erase("global_batch");
  workload.erase("batch_per_rank");
  // How samples are read does not matter, unless corrupt ones are skipped.
  const nlohmann::json loader = workload.value("loader", nlohmann::json::object());
  workload.erase("loader");
  if (loader.value("corrupt", "") == "skip") workload["loader"] = {{"corrupt", "skip"}};
}

void keep_shared_of_training(nlohmann::json& training) {
  training.erase("seed");
  if (!training.value("stop_at_target", false)) {  // otherwise the training does not depend on the target
    training.erase("target");
    training.erase("stop_at_target");
  }
  training.erase("checkpoint");  // neither what is saved nor the path that is loaded matters
  if (training.value("precision", "") != "fp16") training.erase("loss_scale");  // only fp16 has one
}

/// Returns what rows must share besides global batch and seed. The keys of `nlohmann::json` are sorted, so the order in
/// which they were written does not matter.
nlohmann::json shared_by_rows(const Experiment& experiment) {
  const auto resolved = nlohmann::json::parse(experiment.resolved);
  nlohmann::json shared = shared_settings(resolved);
  // A model's file counts by its contents, not by its path.
  const Workload& workload = experiment.workload;
  if (!workload.derived.definition.empty()) {
    shared["workload"]["model"] = {{"kind", workload.model.kind}, {"definition", workload.derived.definition}};
  }
  if (const Choice& data = workload.derived.data_identity; !data.kind.empty()) {
    nlohmann::json dataset{{"kind", data.kind}};
    for (const auto& [name, value] : data.options) dataset[name] = to_json(value);
    shared["workload"]["dataset"] = dataset;
  }
  if (!experiment.derived.start_digest.empty()) {
    shared["training"]["begins_with"] = experiment.derived.start_digest;
  }
  // Rows that are compared must have the same resources, which include the links.
  if (experiment.devices.throttle.any()) shared["throttle"] = resolved.at("devices").at("throttle");
  // Comparing a row of a GPU with one of a processor would compare machines, not strategies.
  if (experiment.devices.derived.is_accelerator) shared["device"] = experiment.devices.kind;
  lists_to_text(shared);
  return shared;
}

}  // namespace

nlohmann::json shared_settings(const nlohmann::json& resolved) {
  nlohmann::json shared{{"workload", resolved.at("workload")}, {"training", resolved.at("training")}};
  if (shared["workload"].is_array()) {
    for (nlohmann::json& one : shared["workload"]) keep_shared_of_workload(one);
  } else {
    keep_shared_of_workload(shared["workload"]);
  }
  keep_shared_of_training(shared["training"]);
  return shared;
}

Contracts::Contracts(const Experiment& experiment) : shared_(shared_by_rows(experiment)) {}

std::string Contracts::contract_id(std::int64_t global_batch, std::uint64_t seed) const {
  nlohmann::json contract = shared_;
  contract["training"]["seed"] = seed;
  contract["workload"]["global_batch"] = global_batch;
  return hexadecimal(fnv1a(contract.dump()));
}

std::string Contracts::scaling_id(std::uint64_t seed) const {
  nlohmann::json contract = shared_;
  contract["training"]["seed"] = seed;
  return hexadecimal(fnv1a(contract.dump()));
}

std::string Contracts::replicate_id(std::int64_t global_batch) const {
  nlohmann::json contract = shared_;
  contract["workload"]["global_batch"] = global_batch;
  return hexadecimal(fnv1a(contract.dump()));
}

std::string contract_id(const Experiment& experiment, std::int64_t global_batch, std::uint64_t seed) {
  return Contracts(experiment).contract_id(global_batch, seed);
}

std::string scaling_id(const Experiment& experiment, std::uint64_t seed) {
  return Contracts(experiment).scaling_id(seed);
}

}  // namespace ddlbench::bench
