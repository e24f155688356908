#include "bench/export/mllog.h"

#include <fmt/core.h>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "base/join.h"
#include "bench/export/case_history.h"
#include "bench/learning_rate/schedule.h"
#include "bench/records/tables.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* point = "POINT_IN_TIME";

std::string text_of(const Json& value) {
  return value.dump(-1, ' ', true, Json::error_handler_t::replace);
}

/// Returns the object as Python's json module writes it, with spaces, which readers of such logs are used to.
std::string spaced(const Json& object) {
  const auto member = [](const auto& item) {
    return fmt::format("{}: {}", text_of(item.key()),
                       item.value().is_object() ? spaced(item.value()) : text_of(item.value()));
  };
  return "{" + joined(object.items(), ", ", member) + "}";
}

/// The lines of one case.
class CaseLog {
 public:
  CaseLog(std::string scope, const std::string& folder) : scope_(std::move(scope)), folder_(folder) {}

  /// The row of a table that the next lines come from.
  template <class Row>
  void from(std::size_t row) {
    metadata_ = {{"file", fmt::format("{}/{}", folder_, Table<Row>::file())}, {"lineno", row + 2}};  // after the header
  }
  void add(const char* event_type, double seconds, const char* key, const Json& value,
           const Json& more = Json::object()) {
    Json metadata = metadata_;
    metadata.update(more);
    const Json line{{"namespace", scope_},      {"time_ms", std::llround(seconds * 1e3)},
                    {"event_type", event_type}, {"key", key},
                    {"value", value},           {"metadata", metadata}};
    text_ += ":::MLLOG " + spaced(line) + "\n";
  }
  void begin(double seconds, const char* key, const Json& more = Json::object()) {
    add("INTERVAL_START", seconds, key, nullptr, more);
  }
  void end(double seconds, const char* key, const Json& more = Json::object()) {
    add("INTERVAL_END", seconds, key, nullptr, more);
  }
  const std::string& text() const { return text_; }

 private:
  std::string scope_;
  const std::string& folder_;
  Json metadata_;
  std::string text_;
};

/// Returns a number of the configuration; null if it is not there, or if it is a list.
nlohmann::json number_at(const nlohmann::json& config, const std::string& pointer) {
  const nlohmann::json::json_pointer at(pointer);
  if (!config.is_object() || !config.contains(at) || !config.at(at).is_number()) return nullptr;
  return config.at(at);
}

/// Settings that have the same meaning in both programs. Those of which 0 stands for something else are left out if
/// they are 0.
struct SharedSetting {
  const char* pointer;
  const char* key;
  bool nothing_if_0 = false;
};

constexpr std::array shared_settings_of_logs{
    SharedSetting{"/training/optimizer/weight_decay", "opt_weight_decay"},
    SharedSetting{"/training/optimizer/beta1", "opt_adam_beta_1"},
    SharedSetting{"/training/optimizer/beta2", "opt_adam_beta_2"},
    SharedSetting{"/training/warmup_steps", "opt_learning_rate_warmup_steps"},
    SharedSetting{"/training/warmup_epochs", "opt_learning_rate_warmup_epochs"},
    SharedSetting{"/training/clip_norm", "opt_gradient_clip_norm", true},
    SharedSetting{"/workload/dataset/validation_samples", "eval_samples", true}};

void add_settings(CaseLog& log, double seconds, const CaseRecord& record, const nlohmann::json& config) {
  const auto add = [&](const char* key, const Json& value) {
    if (!value.is_null()) log.add(point, seconds, key, value);
  };
  add("submission_benchmark", record.workload);
  add("seed", record.seed);
  add("global_batch_size", record.global_batch);
  add("opt_name", record.optimizer);
  if (const nlohmann::json rate = number_at(config, "/training/optimizer/learning_rate"); !rate.is_null()) {
    RateSettings settings;
    const nlohmann::json batch = number_at(config, "/training/scale_with_batch");
    settings.scale_with_batch = batch.is_null() ? 0 : batch.get<std::int64_t>();
    add("opt_base_learning_rate", peak_rate(settings, rate.get<double>(), record.global_batch));
  }
  for (const SharedSetting& setting : shared_settings_of_logs) {
    const nlohmann::json value = number_at(config, setting.pointer);
    if (!value.is_null() && !(setting.nothing_if_0 && value == 0)) add(setting.key, value);
  }
  if (!record.measurement) return;
  add("submission_platform", record.measurement->device_name);
  add("gradient_accumulation_steps", record.measurement->microbatches);
  if (const auto steps = record.measurement->steps_per_epoch) add("train_samples", *steps * record.global_batch);
}

void add_evaluation(CaseLog& log, double begin, double end, double accuracy_ratio, const Json& place) {
  const Json accuracy = std::isfinite(accuracy_ratio) ? Json(accuracy_ratio) : Json(nullptr);
  log.begin(begin, "eval_start", place);
  log.add(point, end, "eval_accuracy", accuracy, place);
  log.end(end, "eval_stop", place);
}

void add_training(CaseLog& log, const CaseHistory& history, const Records& records) {
  auto within = history.validations.begin();
  const auto add_validations_until = [&](int last_epoch) {
    for (; within != history.validations.end(); ++within) {
      const ValidationRecord& row = records.validations[within->row];
      if (row.epoch > last_epoch) return;
      log.from<ValidationRecord>(within->row);
      add_evaluation(log, within->begin_seconds, within->end_seconds, row.accuracy_ratio,
                     {{"epoch_num", row.epoch}, {"step_num", row.step}});
    }
  };
  for (const PastEpoch& past : history.epochs) {
    const EpochRecord& epoch = records.epochs[past.row];
    const Json number{{"epoch_num", epoch.epoch}};
    log.from<EpochRecord>(past.row);
    log.begin(past.begin_seconds, "epoch_start", number);
    add_validations_until(epoch.epoch);
    log.from<EpochRecord>(past.row);
    log.end(past.trained_seconds, "epoch_stop", number);
    add_evaluation(log, past.trained_seconds, past.end_seconds, epoch.accuracy_ratio, number);
  }
  add_validations_until(std::numeric_limits<int>::max());
}

std::string status_of(const CaseRecord& record) {
  const bool reached = record.target.empty() || record.epochs_to_target.has_value();
  return record.status == Status::ok && reached ? "success" : "aborted";
}

std::string lines_of(const RunResults& results, const CaseHistory& history, const std::string& scope) {
  const CaseRecord& record = results.records.cases[history.row];
  CaseLog log(scope, results.folder);
  log.from<CaseRow>(history.row);
  log.begin(history.begin_seconds, "init_start");
  add_settings(log, history.begin_seconds, record, results.config);
  log.end(history.training_seconds, "init_stop");
  log.begin(history.training_seconds, "run_start");
  add_training(log, history, results.records);
  log.from<CaseRow>(history.row);
  log.end(history.end_seconds, "run_stop", {{"status", status_of(record)}});
  return log.text();
}

}  // namespace

std::string mllog(const std::vector<RunResults>& runs) {
  std::string text;
  for (const RunResults& results : runs) {
    for (const CaseHistory& history : histories_of(results.records)) {
      const std::string& case_id = results.records.cases[history.row].case_id;
      text += lines_of(results, history, runs.size() == 1 ? case_id : fmt::format("{}:{}", results.folder, case_id));
    }
  }
  return text;
}

}  // namespace ddlbench::bench
