#include "bench/records/record_json.h"

#include <cmath>
#include <limits>

#include "bench/records/json_fields.h"
#include "graph/error.h"

namespace ddlbench::bench {

nlohmann::json number_to_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

double number_from_json(const nlohmann::json& json) {
  if (!json.is_string()) return json.get<double>();
  const auto& text = json.get_ref<const std::string&>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  throw ContractError("\"" + text + "\" is not a number");
}

static void to_json(nlohmann::json& json, Status status) {
  json = name(status);
}

static void from_json(const nlohmann::json& json, Status& status) {
  const auto& text = json.get_ref<const std::string&>();
  const auto parsed = parse_status(text);
  if (!parsed) throw ContractError("\"" + text + "\" is not a status");
  status = *parsed;
}

template <class Fields>
void fields(Fields& f, BudgetRecord& r) {
  f("forward", r.forward);
  f("backward", r.backward);
  f("recompute", r.recompute);
  f("communication", r.communication);
  f("bubble", r.bubble);
  f("optimizer", r.optimizer);
  f("input", r.input);
  f("rest", r.rest);
}

template <class Fields>
void fields(Fields& f, EpochRecord& r) {
  f("case_id", r.case_id);
  f("epoch", r.epoch);
  f("epoch_seconds", r.epoch_seconds);
  f("validation_seconds", r.validation_seconds);
  f("train_loss", r.train_loss);
  f("validation_loss", r.validation_loss);
  f("accuracy_ratio", r.accuracy_ratio);
  f("perplexity", r.perplexity);
  f("elapsed_seconds", r.elapsed_seconds);
}

template <class Fields>
void fields(Fields& f, RankRecord& r) {
  f("case_id", r.case_id);
  f("rank", r.rank);
  f("role", r.role);
  f("budget", r.budget);
  f("peak_bytes", r.peak_bytes);
  f("sent_bytes", r.sent_bytes);
  f("flops_per_step", r.flops_per_step);
}

template <class Fields>
void fields(Fields& f, Measurement& r) {
  f("promise", r.promise);
  f("mesh", r.mesh);
  f("device_name", r.device_name);
  f("microbatches", r.microbatches);
  f("epoch_seconds", r.epoch_seconds);
  f("epoch_seconds_source", r.epoch_seconds_source);
  f("repetitions", r.repetitions);
  f("step_seconds", r.step_seconds);
  f("step_seconds_low", r.step_seconds_low);
  f("step_seconds_high", r.step_seconds_high);
  f("samples_per_second", r.samples_per_second);
  f("peak_memory_bytes", r.peak_memory_bytes);
  f("final_train_loss", r.final_train_loss);
  f("final_validation_loss", r.final_validation_loss);
  f("final_accuracy_ratio", r.final_accuracy_ratio);
  f("final_perplexity", r.final_perplexity);
  f("certificate_loss", r.certificate_loss);
  f("certificate_gradient", r.certificate_gradient);
  f("certificate_update", r.certificate_update);
  f("noise_loss", r.noise_loss);
  f("noise_update", r.noise_update);
  f("certified", r.certified);
  f("certificate_reason", r.certificate_reason);
  f("batch_statistics_samples", r.batch_statistics_samples);
  f("budget", r.budget);
  f("sent_bytes_per_rank_per_step", r.sent_bytes_per_rank_per_step);
}

template <class Fields>
void fields(Fields& f, CaseRecord& r) {
  f("experiment", r.experiment);
  f("case_id", r.case_id);
  f("contract_id", r.contract_id);
  f("scaling_id", r.scaling_id);
  f("seed", r.seed);
  f("status", r.status);
  f("status_reason", r.status_reason);
  f("expect", r.expect);
  f("workload", r.workload);
  f("dataset", r.dataset);
  f("strategy", r.strategy);
  f("family", r.family);
  f("ranks", r.ranks);
  f("threads_per_rank", r.threads_per_rank);
  f("oversubscribed", r.oversubscribed);
  f("transport", r.transport);
  f("device", r.device);
  f("host", r.host);
  f("precision", r.precision);
  f("optimizer", r.optimizer);
  f("global_batch", r.global_batch);
  f("epochs", r.epochs);
  f("measurement", r.measurement);
}

nlohmann::json to_json(const EpochRecord& record) {
  return fields_to_json(record);
}
nlohmann::json to_json(const RankRecord& record) {
  return fields_to_json(record);
}
nlohmann::json to_json(const Measurement& record) {
  return fields_to_json(record);
}
nlohmann::json to_json(const CaseRecord& record) {
  return fields_to_json(record);
}

EpochRecord epoch_from_json(const nlohmann::json& json) {
  return fields_from_json<EpochRecord>(json);
}
RankRecord rank_from_json(const nlohmann::json& json) {
  return fields_from_json<RankRecord>(json);
}
Measurement measurement_from_json(const nlohmann::json& json) {
  return fields_from_json<Measurement>(json);
}
CaseRecord case_from_json(const nlohmann::json& json) {
  return fields_from_json<CaseRecord>(json);
}

}  // namespace ddlbench::bench
