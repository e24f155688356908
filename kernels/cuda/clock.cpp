#include "kernels/cuda/clock.h"

#include <chrono>
#include <cmath>
#include <limits>

namespace ddlbench::kernels::cuda {
namespace {

constexpr int round_trips = 8;
constexpr std::int64_t old = 1'000'000'000;  // nanoseconds

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::int64_t nanoseconds(double milliseconds) {
  return std::llround(milliseconds * 1e6);
}

}  // namespace

std::int64_t host_time(const Anchors& anchors, double milliseconds_since_older, double milliseconds_since_newer) {
  if (milliseconds_since_older >= anchors.milliseconds || anchors.milliseconds <= 0) {
    return anchors.newer + nanoseconds(milliseconds_since_newer);
  }
  const double share = milliseconds_since_older / anchors.milliseconds;
  return anchors.older + std::llround(share * static_cast<double>(anchors.newer - anchors.older));
}

Clock::Clock() {
  older_ = measure();
  newer_ = measure();
  interval_ = milliseconds_between(older_.event, newer_.event);
}

Clock::Anchor Clock::measure() const {
  Anchor best, trial;
  std::int64_t shortest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < round_trips; ++i) {
    const std::int64_t begin = now();
    trial.event.record(stream_.native());
    trial.event.wait();
    const std::int64_t end = now();
    if (end - begin >= shortest) continue;
    shortest = end - begin;
    trial.host = begin + shortest / 2;
    std::swap(best, trial);
  }
  return best;
}

void Clock::align_if_old() {
  if (now() - newer_.host < old) return;
  Anchor fresh = measure();
  const double interval = milliseconds_between(newer_.event, fresh.event);
  older_ = std::move(newer_);
  newer_ = std::move(fresh);
  interval_ = interval;
}

std::int64_t Clock::time_of(const CudaEvent& event) const {
  const double since_older = milliseconds_between(older_.event, event);
  // Computed only if it is not negative, because CUDA does not specify negative times.
  const double since_newer = since_older < interval_ ? 0 : milliseconds_between(newer_.event, event);
  return host_time({older_.host, newer_.host, interval_}, since_older, since_newer);
}

}  // namespace ddlbench::kernels::cuda
