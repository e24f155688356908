#include "bench/training/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "graph/error.h"

namespace ddlbench::bench {

Schedule::Schedule(const Training& training, std::int64_t steps_per_epoch, std::int64_t global_batch)
    : choice_(training.schedule),
      steps_per_epoch_(std::max<std::int64_t>(steps_per_epoch, 1)),
      steps_(training.epochs * steps_per_epoch_),
      warmup_(choice_.warmup_steps + choice_.warmup_epochs * steps_per_epoch_),
      peak_(training.optimizer.learning_rate) {
  if (choice_.base_batch > 0) peak_ *= static_cast<double>(global_batch) / static_cast<double>(choice_.base_batch);
  if (warmup_ > 0 && warmup_ >= steps_) {
    throw InputError("a warm-up of " + std::to_string(warmup_) + " steps leaves none of the training's " +
                     std::to_string(steps_) + " (" + std::to_string(training.epochs) + " epochs of " +
                     std::to_string(steps_per_epoch_) +
                     " steps); use a shorter training/warmup_steps or more training/epochs");
  }
}

double Schedule::rate(std::int64_t step) const {
  if (step < warmup_) {
    const double share = static_cast<double>(step) / static_cast<double>(warmup_);
    return peak_ * (choice_.warmup_start + (1 - choice_.warmup_start) * share);
  }
  const double u = std::min(1.0, static_cast<double>(step - warmup_) / static_cast<double>(steps_ - warmup_));
  if (choice_.kind == "step") {
    const std::int64_t epoch = step / steps_per_epoch_;
    const auto passed = std::count_if(choice_.milestones.begin(), choice_.milestones.end(),
                                      [epoch](std::int64_t milestone) { return milestone <= epoch; });
    const std::int64_t times = choice_.every_epochs > 0 ? epoch / choice_.every_epochs : passed;
    return peak_ * std::pow(choice_.factor, static_cast<double>(times));
  }
  const double span = peak_ - choice_.minimum;
  if (choice_.kind == "cosine") return choice_.minimum + span * (1 + std::cos(std::numbers::pi * u)) / 2;
  if (choice_.kind == "polynomial") return choice_.minimum + span * std::pow(1 - u, choice_.power);
  return peak_;
}

}  // namespace ddlbench::bench
