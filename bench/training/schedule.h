#pragma once

#include <cstdint>

#include "bench/config/experiment.h"

namespace ddlbench::bench {

/// The learning rate of every step of a training: a pure function, the same for every strategy. With W steps of
/// warm-up, T steps in all and r the rate (after linear scaling), step k from 0 has
///   r (f + (1 − f) k / W)                              in the warm-up, f the start factor
/// and then, u = (k − W) / (T − W), e the epoch that k lies in, from 0, and m the minimum:
///   constant    r
///   step        r factorⁱ, i the milestones that are ≤ e, or e / every_epochs
///   cosine      m + (r − m) (1 + cos πu) / 2           (Loshchilov & Hutter 2017, without restarts)
///   polynomial  m + (r − m) (1 − u)^power
/// Steps beyond T have the rate at u = 1.
class Schedule {
 public:
  /// Of a run of `steps_per_epoch` in each epoch, at a global batch. Throws InputError where the warm-up leaves no
  /// step.
  Schedule(const Training& training, std::int64_t steps_per_epoch, std::int64_t global_batch);

  double rate(std::int64_t step) const;

  double peak() const { return peak_; }  ///< r
  std::int64_t warmup_steps() const { return warmup_; }
  std::int64_t steps() const { return steps_; }  ///< T

 private:
  ScheduleChoice choice_;
  std::int64_t steps_per_epoch_;
  std::int64_t steps_;
  std::int64_t warmup_;
  double peak_;
};

}  // namespace ddlbench::bench
