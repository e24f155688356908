#pragma once

#include <cstdint>

#include "bench/learning_rate/rate_kinds.h"

namespace ddlbench::bench {

/// The settings of the learning rate, except for the rate itself.
struct RateSettings {
  Choice schedule{"constant", {}};
  std::int64_t warmup_steps = 0;
  std::int64_t warmup_epochs = 0;
  double warmup_start = 0;            ///< factor for the rate of the first step
  std::int64_t scale_with_batch = 0;  ///< the batch that the rate is for; 0: no scaling
};

template <class Visitor>
void describe(Visitor& v, RateSettings& r) {
  v.sweep("schedule", r.schedule, v.one_of("schedule", &rate_kinds),
          "How the learning rate changes after the warm-up: by epochs since the training began, or over the remaining "
          "steps.");
  v("warmup_steps", r.warmup_steps, Range{0, 1e6}, "Steps over which the rate rises to its full value.");
  v("warmup_epochs", r.warmup_epochs, Range{0, 100000}, "Warm-up in epochs, instead of steps.");
  v("warmup_start", r.warmup_start, Range{0, 1}, "Share of the full rate that the first step uses.");
  v("scale_with_batch", r.scale_with_batch, Range{0, 1 << 24},
    "Global batch that the learning rate is meant for; the rate is multiplied by global_batch / scale_with_batch "
    "(linear scaling); 0: no scaling.");
}

/// Returns the rate after the warm-up, before its schedule changes it: `learning_rate`, scaled with the batch.
double peak_rate(const RateSettings& settings, double learning_rate, std::int64_t global_batch);

struct RunLength {
  std::int64_t epochs = 1;
  std::int64_t steps_per_epoch = 1;
  std::int64_t global_batch = 1;
};

/// The learning rate of every step of a training, a pure function that is the same for every strategy. With W steps of
/// warm-up, T steps in total and the rate r (after linear scaling), step k, counted from 0, has
///   r (f + (1 − f) k / W)                              in the warm-up, f being the start factor.
/// After that its kind (rate_kinds.cpp) computes the rate from r, u = (k − W) / (T − W) and the epoch of k, counted
/// from 0. Steps beyond T have the rate at u = 1.
class Schedule {
 public:
  /// Throws InputError if the warm-up leaves no steps, or fewer than the kind of schedule needs.
  Schedule(const RateSettings& settings, double learning_rate, const RunLength& run);

  double rate(std::int64_t step) const;

  double peak() const { return peak_; }  ///< r
  std::int64_t warmup_steps() const { return warmup_; }
  std::int64_t steps() const { return steps_; }  ///< T

 private:
  double (*rate_)(const OptionValues& options, const RatePoint& at);
  OptionValues options_;
  double warmup_start_;
  std::int64_t steps_per_epoch_;
  std::int64_t steps_;
  std::int64_t warmup_;
  double peak_;
};

}  // namespace ddlbench::bench
