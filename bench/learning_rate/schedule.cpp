#include "bench/learning_rate/schedule.h"

#include <fmt/core.h>
#include <algorithm>
#include <string>

#include "base/error.h"

namespace ddlbench::bench {

double peak_rate(const RateSettings& settings, double learning_rate, std::int64_t global_batch) {
  if (settings.scale_with_batch == 0) return learning_rate;
  return learning_rate * (static_cast<double>(global_batch) / static_cast<double>(settings.scale_with_batch));
}

Schedule::Schedule(const RateSettings& settings, double learning_rate, const RunLength& run)
    : warmup_start_(settings.warmup_start),
      steps_per_epoch_(std::max<std::int64_t>(run.steps_per_epoch, 1)),
      steps_(run.epochs * steps_per_epoch_),
      warmup_(settings.warmup_steps + settings.warmup_epochs * steps_per_epoch_),
      peak_(peak_rate(settings, learning_rate, run.global_batch)) {
  const RateKind& kind = find_rate_kind(settings.schedule.kind);
  rate_ = kind.rate;
  options_ = with_defaults(kind.options, settings.schedule.options);
  if (warmup_ > 0 && warmup_ >= steps_) {
    throw InputError(
        fmt::format("a warm-up of {} steps leaves none of the training's {} ({} epochs of {} steps); use a shorter "
                    "training/warmup_steps or more training/epochs",
                    warmup_, steps_, run.epochs, steps_per_epoch_));
  }
  if (kind.min_steps != nullptr && kind.min_steps(options_) > steps_ - warmup_) {
    throw InputError(
        fmt::format("training/schedule: {} needs at least {} steps after the warm-up, one for each cycle, and the "
                    "training has {}; use fewer cycles or more training/epochs",
                    kind.name, kind.min_steps(options_), steps_ - warmup_));
  }
}

double Schedule::rate(std::int64_t step) const {
  if (step < warmup_) {
    const double share = static_cast<double>(step) / static_cast<double>(warmup_);
    return peak_ * (warmup_start_ + (1 - warmup_start_) * share);
  }
  const double u = std::min(1.0, static_cast<double>(step - warmup_) / static_cast<double>(steps_ - warmup_));
  return rate_(options_, {peak_, u, step / steps_per_epoch_});
}

}  // namespace ddlbench::bench
