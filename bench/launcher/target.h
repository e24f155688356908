#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bench/config/experiment.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

/// Returns "loss 0.5", "accuracy 0.9" or "loss 0.5 and accuracy 0.9"; empty if no target is set.
std::string describe(const Target& target);

/// Records the epoch of a case in which its target was first met.
class TargetWatch {
 public:
  explicit TargetWatch(const Target& target) : target_(target) {}
  void note(const EpochRecord& epoch);

  /// Returns the training time, without validation, up to the end of the epoch that met the target; nothing before
  /// that.
  std::optional<double> seconds() const { return epochs_ ? std::optional(trained_seconds_) : std::nullopt; }
  std::optional<std::int64_t> epochs() const { return epochs_; }

 private:
  Target target_;
  double trained_seconds_ = 0;
  std::optional<std::int64_t> epochs_;
};

}  // namespace ddlbench::bench
