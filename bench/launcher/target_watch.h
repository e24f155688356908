#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/config/target.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// Records the validation of a case that reached its target first.
class TargetWatch {
 public:
  explicit TargetWatch(const Target& target) : target_(target) {}
  void note(const EpochRecord& epoch) { note_validation(epoch); }
  void note(const ValidationRecord& validation) { note_validation(validation); }

  /// Notes the validations of a case in an earlier attempt, before the step from which its training continues.
  void note_earlier(const Records& records, const std::string& case_id, std::int64_t resumed_step) {
    const auto watched = [&](const auto& all) {  // which are in the order of their steps
      TargetWatch watch(target_);
      for (const auto& record : all) {
        const std::optional<std::int64_t> step = record.step;
        if (record.case_id == case_id && step && *step < resumed_step) watch.note(record);
      }
      return watch;
    };
    const TargetWatch of_epochs = watched(records.epochs), within_epochs = watched(records.validations);
    const bool is_within = within_epochs.steps_ && (!of_epochs.steps_ || *within_epochs.steps_ < *of_epochs.steps_);
    *this = is_within ? within_epochs : of_epochs;
  }

  /// The training up to that validation; nothing before it.
  std::optional<double> seconds() const { return seconds_; }
  std::optional<std::int64_t> epochs() const { return epochs_; }
  std::optional<std::int64_t> steps() const { return steps_; }

 private:
  void note_validation(const auto& record) {
    if (epochs_ || !is_reached(target_, record.validation_loss, record.accuracy_ratio)) return;
    epochs_ = record.epoch;
    seconds_ = record.trained_seconds;
    steps_ = record.step;
  }

  Target target_;
  std::optional<double> seconds_;
  std::optional<std::int64_t> epochs_;
  std::optional<std::int64_t> steps_;
};

}  // namespace ddlbench::bench
