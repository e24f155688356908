#pragma once

#include <cstdint>
#include <optional>

#include "bench/config/target.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// Records the validation of a case that reached its target first.
class TargetWatch {
 public:
  explicit TargetWatch(const Target& target) : target_(target) {}
  void note(const EpochRecord& epoch) { note_validation(epoch); }
  void note(const ValidationRecord& validation) { note_validation(validation); }

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
