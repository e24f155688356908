#include "bench/config/experiment_of.h"

#include "bench/config/resolve.h"
#include "bench/config/workloads.h"
#include "json/pointer.h"
#include "workloads/models/number_list.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::ordered_json;

template <class Value>
std::vector<Value> sweep(const Json& value) {
  if (value.is_array()) return value.get<std::vector<Value>>();
  return {value.get<Value>()};
}

const Kind& kind_of(const Json& value, const Field& field) {
  return *field.find_kind(value.at("kind").get<std::string>());
}

std::string label(const Choice& choice, const Kind& kind) {
  std::string text = choice.kind;
  for (const auto& setting : kind.fields) {
    if (setting.common) continue;
    const auto& value = choice.options.at(setting.name);
    if (!is_default(value, setting)) text += " " + setting.name + "=" + short_text(value);
  }
  return text;
}

StrategyChoice strategy(const Json& value, const Field& field, const std::string& pointer) {
  StrategyChoice made;
  made.pointer = pointer;
  made.choice = to_choice(value, field);
  made.label = label(made.choice, kind_of(value, field));
  made.expect = value.at("expect").get<std::string>();
  if (value.contains("ranks")) made.ranks = sweep<int>(value.at("ranks"));
  return made;
}

OptimizerChoice optimizer(const Json& value) {
  OptimizerChoice made;
  made.kind = value.at("kind").get<std::string>();
  made.learning_rate = value.at("learning_rate").get<double>();
  made.weight_decay = value.at("weight_decay").get<double>();
  made.momentum = value.value("momentum", made.momentum);
  made.beta1 = value.value("beta1", made.beta1);
  made.beta2 = value.value("beta2", made.beta2);
  made.epsilon = value.value("epsilon", made.epsilon);
  made.nesterov = value.value("nesterov", made.nesterov);
  made.trust = value.value("trust", made.trust);
  made.exempt_vectors = value.at("exempt_vectors").get<bool>();
  return made;
}

LossScaleChoice loss_scale(const Json& value) {
  const bool fixed = value.at("kind") == "fixed";
  return {value.at("kind").get<std::string>(), value.at(fixed ? "scale" : "initial").get<double>(),
          fixed ? 0 : value.at("growth_interval").get<int>()};
}

ScheduleChoice schedule(const Json& training) {
  const Json& value = training.at("schedule");
  ScheduleChoice made;
  made.kind = value.at("kind").get<std::string>();
  const workloads::NumberList milestones{"training/schedule/milestones", 0, 999999};
  made.milestones = workloads::parse_numbers(milestones, value.value("milestones", std::string()));
  made.every_epochs = value.value("every_epochs", made.every_epochs);
  made.factor = value.value("factor", made.factor);
  made.minimum = value.value("minimum", made.minimum);
  made.power = value.value("power", made.power);
  made.warmup_steps = training.at("warmup_steps").get<std::int64_t>();
  made.warmup_epochs = training.at("warmup_epochs").get<std::int64_t>();
  made.warmup_start = training.at("warmup_start").get<double>();
  made.base_batch = training.at("scale_with_batch").get<std::int64_t>();
  return made;
}

std::optional<double> optional_number(const Json& object, const char* key) {
  if (!object.contains(key)) return std::nullopt;
  return object.at(key).get<double>();
}

CheckpointChoice checkpoint(const Json& value) {
  return {value.value("save", ""), value.at("every_epochs").get<std::int64_t>(), value.value("load", ""),
          value.at("resume").get<bool>(), ""};
}

Measure measure(const Json& value) {
  return {value.at("warmup_steps").get<int>(),       value.at("steps").get<int>(),
          value.at("repetitions").get<int>(),        value.at("verify_steps").get<int>(),
          value.at("timeout_seconds").get<double>(), false};
}

/// Of several workloads of one kind of model what differs from the defaults tells them apart.
void label_workloads(const std::vector<WorkloadPoint>& points, const Field& model, std::vector<WorkloadChoice>& all) {
  std::map<std::string, int> of_kind;
  for (const WorkloadChoice& one : all) ++of_kind[one.workload.model.kind];
  for (std::size_t i = 0; i < all.size(); ++i) {
    Workload& workload = all[i].workload;
    if (of_kind[workload.model.kind] > 1)
      workload.label = label(workload.model, kind_of(points[i].workload.at("model"), model));
  }
}

Experiment experiment_of_one(const Json& resolved, const Field& table);

}  // namespace

Experiment experiment_of(const Json& resolved, const Field& table) {
  const std::vector<WorkloadPoint> points = each_workload(resolved.at("workload"));
  Json without_workload = resolved;
  without_workload["workload"] = nullptr;
  std::vector<WorkloadChoice> workloads;
  Experiment first;
  for (const WorkloadPoint& point : points) {
    Experiment one = experiment_of_one(with_workload(without_workload, point), table);
    workloads.push_back({point.pointer, point.model_pointer, one.workload, one.training.optimizer.learning_rate,
                         std::move(one.resolved)});
    if (workloads.size() == 1) first = std::move(one);
  }
  label_workloads(points, *find(find(table.fields, "workload")->fields, "model"), workloads);
  first.workload = workloads.front().workload;
  first.workloads = std::move(workloads);
  first.resolved = resolved.dump(2) + "\n";
  return first;
}

namespace {

Experiment experiment_of_one(const Json& resolved, const Field& table) {
  const Field& workload_fields = *find(table.fields, "workload");
  const Json& workload = resolved.at("workload");
  const Json& training = resolved.at("training");
  const Json& devices = resolved.at("devices");

  Experiment made;
  made.resolved = resolved.dump(2) + "\n";
  made.name = resolved.at("name").get<std::string>();
  made.workload = {to_choice(workload.at("model"), *find(workload_fields.fields, "model")),
                   to_choice(workload.at("dataset"), *find(workload_fields.fields, "dataset")),
                   sweep<std::int64_t>(workload.at("global_batch")),
                   {},
                   {workload.at("loader").at("workers").get<int>(), workload.at("loader").at("prefetch").get<int>()},
                   workload.at("loader").at("corrupt") == "skip",
                   workload.at("model").at("kind")};
  made.training = {training.at("epochs").get<std::int64_t>(),
                   sweep<std::uint64_t>(training.at("seed")),
                   training.at("precision").get<std::string>(),
                   optimizer(training.at("optimizer")),
                   {optional_number(training.at("target"), "loss"), optional_number(training.at("target"), "accuracy")},
                   checkpoint(training.at("checkpoint")),
                   schedule(training),
                   {training.at("loss").get<std::string>(), training.at("label_smoothing").get<double>()},
                   training.at("clip_norm").get<double>(),
                   loss_scale(training.at("loss_scale"))};
  made.devices.kind = devices.at("kind").get<std::string>();
  made.devices.transport = devices.at("transport").get<std::string>();
  made.devices.ranks = sweep<int>(devices.at("ranks"));
  made.devices.threads_per_rank = devices.at("threads_per_rank").get<int>();
  made.devices.collectives = devices.at("collectives").get<std::string>();
  made.devices.deterministic = devices.at("deterministic").get<bool>();
  made.devices.winograd = devices.at("winograd").get<bool>();
  const Json& throttle = devices.at("throttle");
  made.devices.throttle = {throttle.at("latency_seconds").get<double>(), throttle.at("bytes_per_second").get<double>()};
  if (devices.contains("memory_bytes")) made.devices.memory_bytes = devices.at("memory_bytes").get<std::int64_t>();
  for (const auto& value : resolved.at("strategies")) {
    const std::string pointer = json::child("/strategies", made.strategies.size());
    made.strategies.push_back(strategy(value, *find(table.fields, "strategies"), pointer));
  }
  made.measure = measure(resolved.at("measure"));
  return made;
}

}  // namespace

}  // namespace ddlbench::bench
