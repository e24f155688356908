#include "bench/launcher/worker_request.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "bench/config/experiment_of.h"
#include "bench/config/fields.h"
#include "bench/records/json_fields.h"
#include "json/parse.h"

namespace ddlbench::json {

static void to_json(nlohmann::json& target, const Location& location) {
  target = {location.source, location.line, location.column};
}

static void from_json(const nlohmann::json& source, Location& location) {
  location = {source.at(0), source.at(1), source.at(2)};
}

}  // namespace ddlbench::json

namespace ddlbench::bench {
namespace {

/// The fields of a request: settings in the form of the resolved configuration, and values that are not settings.
struct RequestFields {
  std::string resolved;
  std::string file;
  std::map<std::string, json::Location> locations;
  std::string device;  ///< the kind of device that was chosen
  std::string label;
  std::string definition;
  Devices::Derived devices;
  Experiment::Derived experiment;
  StrategyChoice strategy;  ///< of the case: only what says which one it is
  Case which;
  std::string trace_file;
};

}  // namespace

void fields(auto& f, Devices::Derived& v) {
  auto& [channel, is_accelerator, seen, other_cores] = v;
  f("channel", channel);
  f("apart", is_accelerator);
  f("seen", seen);
  f("other_cores", other_cores);
}

void fields(auto& f, Experiment::Derived& v) {
  auto& [start_digest, certificates_only] = v;
  f("start_digest", start_digest);
  f("certificates_alone", certificates_only);
}

void fields(auto& f, StrategyChoice& v) {
  f("pointer", v.pointer);
  f("index", v.index);
}

void fields(auto& f, Case& v) {
  auto& [id, strategy, family, ranks, threads_per_rank, oversubscribed, shares_devices, variant, global_batch, seed,
         contract_id, scaling_id, replicate_id, reference_file, visit_steps, resume_from, stop_file, collective_choices,
         settings, unsupported, out_of_memory] = v;
  f("id", id);
  f("family", family);
  f("ranks", ranks);
  f("threads_per_rank", threads_per_rank);
  f("oversubscribed", oversubscribed);
  f("shares_devices", shares_devices);
  f("variant", variant);
  f("global_batch", global_batch);
  f("seed", seed);
  f("contract_id", contract_id);
  f("scaling_id", scaling_id);
  f("replicate_id", replicate_id);
  f("settings", settings);
  f("unsupported", unsupported);
  f("reference_file", reference_file);
  f("visit_steps", visit_steps);
  f("resume_from", resume_from);
  f("stop_file", stop_file);
  f("collective_choices", collective_choices);
  f("out_of_memory", out_of_memory);
}

void fields(auto& f, RequestFields& v) {
  auto& [resolved, file, locations, device, label, definition, devices, experiment, strategy, which, trace_file] = v;
  f("resolved", resolved);
  f("file", file);
  f("locations", locations);
  f("device", device);
  f("label", label);
  f("definition", definition);
  f("devices", devices);
  f("experiment", experiment);
  f("strategy", strategy);
  f("case", which);
  f("trace_file", trace_file);
}

namespace {

/// Parses the fields of a request as the sender parsed its configuration.
WorkerRequest read(const RequestFields& fields_of_request) {
  const Registries registries = real_registries();
  const auto resolved = nlohmann::ordered_json::parse(fields_of_request.resolved);
  WorkerRequest request{experiment_of(resolved, experiment_fields(registries), registries), fields_of_request.which,
                        fields_of_request.trace_file};
  Experiment& experiment = request.experiment;
  experiment.variants.clear();  // the worker's experiment has no lists
  experiment.sources = {fields_of_request.file};
  experiment.locations = fields_of_request.locations;
  experiment.devices.kind = fields_of_request.device;
  experiment.devices.derived = fields_of_request.devices;
  experiment.workload.derived.label = fields_of_request.label;
  experiment.workload.derived.definition = fields_of_request.definition;
  experiment.derived = fields_of_request.experiment;
  const auto index = static_cast<std::size_t>(fields_of_request.strategy.index);
  require(index < experiment.strategies.size(),
          "the configuration has no strategy " + std::to_string(fields_of_request.strategy.index));
  request.which.strategy = experiment.strategies[index];
  request.which.strategy.pointer = fields_of_request.strategy.pointer;
  return request;
}

}  // namespace

std::string encode(const WorkerRequest& request) {
  const Experiment& experiment = request.experiment;
  const auto& [label, definition, data_identity] = experiment.workload.derived;  // the last one is needed only by
                                                                                 // contracts
  return fields_to_json(RequestFields{experiment.resolved, experiment.sources.file, experiment.locations,
                                      experiment.devices.kind, label, definition, experiment.devices.derived,
                                      experiment.derived, request.which.strategy, request.which, request.trace_file})
      .dump();
}

WorkerRequest decode_request(const std::string& text) {
  try {
    return read(fields_from_json<RequestFields>(ddlbench::json::parse_whole(text)));
  } catch (const std::exception& error) {
    throw ContractError(std::string("not a worker's request: ") + error.what());
  }
}

}  // namespace ddlbench::bench
