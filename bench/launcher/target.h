#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/config/experiment.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// "loss 0.5", "accuracy 0.9", "loss 0.5 and accuracy 0.9"; empty where none is set.
std::string describe(const Target& target);

/// Notes at which epoch of a case its target was first met.
class TargetWatch {
 public:
  explicit TargetWatch(const Target& target) : target_(target) {}
  void note(const EpochRecord& epoch);

  /// Of training, validations left out, to the end of the epoch that met it; nothing before.
  std::optional<double> seconds() const { return epochs_ ? std::optional(trained_seconds_) : std::nullopt; }
  std::optional<std::int64_t> epochs() const { return epochs_; }

 private:
  Target target_;
  double trained_seconds_ = 0;
  std::optional<std::int64_t> epochs_;
};

}  // namespace ddlbench::bench
