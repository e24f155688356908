#include "bench/run/worker_request.h"

#include <nlohmann/json.hpp>

#include "bench/records/json_fields.h"
#include "graph/error.h"
#include "json/parse.h"

namespace ddlbench::json {

static void to_json(nlohmann::json& target, const Location& location) {
  target = {location.source, location.line, location.column};
}

static void from_json(const nlohmann::json& source, Location& location) {
  location = {source.at(0), source.at(1), source.at(2)};
}

}  // namespace ddlbench::json

namespace ddlbench::graph {

using nlohmann::json;

namespace {

json option_to_json(const OptionValue& value) {
  return std::visit(
      [](const auto& held) -> json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, AxisSizes>) {
          json axes = json::object();  // an array under a key: the order of axes counts
          axes["axes"] = json::array();
          for (const auto& [axis, size] : held) axes["axes"].push_back({axis, size});
          return axes;
        } else if constexpr (std::is_same_v<std::decay_t<decltype(held)>, Integers>) {
          return {{"integers", held}};
        } else if constexpr (std::is_same_v<std::decay_t<decltype(held)>, Strings>) {
          return {{"strings", held}};
        } else if constexpr (std::is_same_v<std::decay_t<decltype(held)>, Nested>) {
          throw ContractError("no strategy nests options yet");
        } else {
          return held;
        }
      },
      value);
}

OptionValue option_from_json(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  if (value.contains("integers")) return value.at("integers").get<Integers>();
  if (value.contains("strings")) return value.at("strings").get<Strings>();
  AxisSizes axes;
  for (const json& axis : value.at("axes")) axes.emplace_back(axis.at(0), axis.at(1));
  return axes;
}

}  // namespace

static void to_json(json& target, const Choice& choice) {
  json options = json::object();
  for (const auto& [name, value] : choice.options) options[name] = option_to_json(value);
  target = {{"kind", choice.kind}, {"options", options}};
}

static void from_json(const json& source, Choice& choice) {
  choice.kind = source.at("kind");
  choice.options.clear();
  for (const auto& [name, value] : source.at("options").items()) choice.options[name] = option_from_json(value);
}

}  // namespace ddlbench::graph

namespace ddlbench::bench {

using nlohmann::json;

template <class Fields>
void fields(Fields& f, workloads::LoaderOptions& v) {
  auto& [workers, prefetch] = v;
  f("workers", workers);
  f("prefetch", prefetch);
}

template <class Fields>
void fields(Fields& f, Workload& v) {
  auto& [model, dataset, global_batch, definition, loader, skip_corrupt, label, data_identity] = v;
  f("model", model);
  f("dataset", dataset);
  f("global_batch", global_batch);
  f("definition", definition);
  f("loader", loader);
  f("skip_corrupt", skip_corrupt);
  f("label", label);
  f("data_identity", data_identity);
}

template <class Fields>
void fields(Fields& f, OptimizerChoice& v) {
  auto& [kind, learning_rate, momentum, weight_decay, beta1, beta2, epsilon, nesterov, trust, exempt_vectors] = v;
  f("kind", kind);
  f("learning_rate", learning_rate);
  f("momentum", momentum);
  f("weight_decay", weight_decay);
  f("beta1", beta1);
  f("beta2", beta2);
  f("epsilon", epsilon);
  f("nesterov", nesterov);
  f("trust", trust);
  f("exempt_vectors", exempt_vectors);
}

template <class Fields>
void fields(Fields& f, LossScaleChoice& v) {
  auto& [kind, initial, growth_interval] = v;
  f("kind", kind);
  f("initial", initial);
  f("growth_interval", growth_interval);
}

template <class Fields>
void fields(Fields& f, ScheduleChoice& v) {
  auto& [kind, milestones, every_epochs, factor, minimum, power, warmup_steps, warmup_epochs, warmup_start,
         base_batch] = v;
  f("kind", kind);
  f("milestones", milestones);
  f("every_epochs", every_epochs);
  f("factor", factor);
  f("minimum", minimum);
  f("power", power);
  f("warmup_steps", warmup_steps);
  f("warmup_epochs", warmup_epochs);
  f("warmup_start", warmup_start);
  f("base_batch", base_batch);
}

template <class Fields>
void fields(Fields& f, TrainingLoss& v) {
  auto& [kind, label_smoothing] = v;
  f("kind", kind);
  f("label_smoothing", label_smoothing);
}

template <class Fields>
void fields(Fields& f, Target& v) {
  auto& [loss, accuracy] = v;
  f("loss", loss);
  f("accuracy", accuracy);
}

template <class Fields>
void fields(Fields& f, CheckpointChoice& v) {
  auto& [save, every_epochs, load, resume, digest] = v;
  f("save", save);
  f("every_epochs", every_epochs);
  f("load", load);
  f("resume", resume);
  f("digest", digest);
}

template <class Fields>
void fields(Fields& f, Training& v) {
  auto& [epochs, seed, precision, optimizer, target, checkpoint, schedule, loss, clip_norm, loss_scale] = v;
  f("epochs", epochs);
  f("seed", seed);
  f("precision", precision);
  f("optimizer", optimizer);
  f("target", target);
  f("checkpoint", checkpoint);
  f("schedule", schedule);
  f("loss", loss);
  f("clip_norm", clip_norm);
  f("loss_scale", loss_scale);
}

template <class Fields>
void fields(Fields& f, comm::Throttle& v) {
  auto& [latency_seconds, bytes_per_second] = v;
  f("latency_seconds", latency_seconds);
  f("bytes_per_second", bytes_per_second);
}

template <class Fields>
void fields(Fields& f, Devices& v) {
  auto& [kind, transport, ranks, threads_per_rank, memory_bytes, collectives, deterministic, winograd, throttle,
         channel, apart, seen] = v;
  f("kind", kind);
  f("transport", transport);
  f("ranks", ranks);
  f("threads_per_rank", threads_per_rank);
  f("memory_bytes", memory_bytes);
  f("collectives", collectives);
  f("deterministic", deterministic);
  f("winograd", winograd);
  f("throttle", throttle);
  f("channel", channel);
  f("apart", apart);
  f("seen", seen);
}

template <class Fields>
void fields(Fields& f, StrategyChoice& v) {
  auto& [pointer, choice, ranks, label, expect] = v;
  f("pointer", pointer);
  f("choice", choice);
  f("ranks", ranks);
  f("label", label);
  f("expect", expect);
}

template <class Fields>
void fields(Fields& f, Measure& v) {
  auto& [warmup_steps, steps, repetitions, verify_steps, timeout_seconds, certificates_alone] = v;
  f("warmup_steps", warmup_steps);
  f("steps", steps);
  f("repetitions", repetitions);
  f("verify_steps", verify_steps);
  f("timeout_seconds", timeout_seconds);
  f("certificates_alone", certificates_alone);
}

template <class Fields>
void fields(Fields& f, Experiment& v) {
  auto& [file, resolved, locations, name, workload, workloads, training, devices, strategies, measure] = v;
  // A worker's experiment is of one workload.
  f("file", file);
  f("resolved", resolved);
  f("locations", locations);
  f("name", name);
  f("workload", workload);
  f("training", training);
  f("devices", devices);
  f("strategies", strategies);
  f("measure", measure);
}

template <class Fields>
void fields(Fields& f, Case& v) {
  auto& [id, strategy, family, ranks, threads_per_rank, oversubscribed, shares_devices, workload, global_batch, seed,
         contract_id, scaling_id, reference_file, unsupported, out_of_memory] = v;
  f("id", id);
  f("strategy", strategy);
  f("family", family);
  f("ranks", ranks);
  f("threads_per_rank", threads_per_rank);
  f("oversubscribed", oversubscribed);
  f("shares_devices", shares_devices);
  f("workload", workload);
  f("global_batch", global_batch);
  f("seed", seed);
  f("contract_id", contract_id);
  f("scaling_id", scaling_id);
  f("unsupported", unsupported);
  f("reference_file", reference_file);
  f("out_of_memory", out_of_memory);
}

template <class Fields>
void fields(Fields& f, WorkerRequest& v) {
  auto& [experiment, which, trace_file] = v;
  f("experiment", experiment);
  f("case", which);
  f("trace_file", trace_file);
}

std::string encode(const WorkerRequest& request) {
  return fields_to_json(request).dump();
}

WorkerRequest decode_request(const std::string& text) {
  try {
    return fields_from_json<WorkerRequest>(ddlbench::json::parse_whole(text));
  } catch (const std::exception& error) {
    throw ContractError(std::string("not a worker's request: ") + error.what());
  }
}

}  // namespace ddlbench::bench
