#include "bench/run/worker_request.h"

#include <nlohmann/json.hpp>

#include "bench/records/json_fields.h"
#include "graph/error.h"

namespace ddlbench::bench {

using nlohmann::json;

namespace {

json option_to_json(const graph::OptionValue& value) {
  return std::visit(
      [](const auto& held) -> json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, graph::AxisSizes>) {
          json axes = json::object();  // an array under a key: the order of axes counts
          axes["axes"] = json::array();
          for (const auto& [axis, size] : held) axes["axes"].push_back({axis, size});
          return axes;
        } else {
          return held;
        }
      },
      value);
}

graph::OptionValue option_from_json(const json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (value.is_number_float()) return value.get<double>();
  if (value.is_string()) return value.get<std::string>();
  graph::AxisSizes axes;
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

template <class Fields>
void fields(Fields& f, Workload& v) {
  f("model", v.model);
  f("dataset", v.dataset);
  f("global_batch", v.global_batch);
}

template <class Fields>
void fields(Fields& f, OptimizerChoice& v) {
  f("kind", v.kind);
  f("learning_rate", v.learning_rate);
  f("momentum", v.momentum);
  f("weight_decay", v.weight_decay);
  f("beta1", v.beta1);
  f("beta2", v.beta2);
  f("epsilon", v.epsilon);
}

template <class Fields>
void fields(Fields& f, Training& v) {
  f("epochs", v.epochs);
  f("seed", v.seed);
  f("precision", v.precision);
  f("optimizer", v.optimizer);
}

template <class Fields>
void fields(Fields& f, Devices& v) {
  f("kind", v.kind);
  f("transport", v.transport);
  f("ranks", v.ranks);
  f("threads_per_rank", v.threads_per_rank);
}

template <class Fields>
void fields(Fields& f, StrategyChoice& v) {
  f("choice", v.choice);
  f("label", v.label);
  f("expect", v.expect);
}

template <class Fields>
void fields(Fields& f, Measure& v) {
  f("warmup_steps", v.warmup_steps);
  f("steps", v.steps);
  f("repetitions", v.repetitions);
  f("verify_steps", v.verify_steps);
  f("timeout_seconds", v.timeout_seconds);
}

template <class Fields>
void fields(Fields& f, Experiment& v) {
  f("name", v.name);
  f("workload", v.workload);
  f("training", v.training);
  f("devices", v.devices);
  f("strategies", v.strategies);
  f("measure", v.measure);
}

template <class Fields>
void fields(Fields& f, Case& v) {
  f("id", v.id);
  f("strategy", v.strategy);
  f("family", v.family);
  f("ranks", v.ranks);
  f("threads_per_rank", v.threads_per_rank);
  f("oversubscribed", v.oversubscribed);
  f("global_batch", v.global_batch);
  f("seed", v.seed);
  f("contract_id", v.contract_id);
  f("scaling_id", v.scaling_id);
  f("unsupported", v.unsupported);
}

template <class Fields>
void fields(Fields& f, WorkerRequest& v) {
  f("experiment", v.experiment);
  f("case", v.which);
  f("trace_file", v.trace_file);
}

std::string encode(const WorkerRequest& request) {
  return fields_to_json(request).dump();
}

WorkerRequest decode_request(const std::string& text) {
  try {
    return fields_from_json<WorkerRequest>(json::parse(text));
  } catch (const std::exception& error) {
    throw ContractError(std::string("not a worker's request: ") + error.what());
  }
}

}  // namespace ddlbench::bench
