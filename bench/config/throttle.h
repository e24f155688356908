#pragma once

#include "base/option.h"
#include "bench/config/limits.h"
#include "comm/communicator.h"

namespace ddlbench::bench {

/// Artificial slowness: of the ranks' links, and of one rank's computation.
struct Throttle {
  comm::Throttle link = {};
  int slow_rank = 1;    ///< not 0 by default, so that the baseline on one rank is as fast as ever
  double slowdown = 1;  ///< by which the times of the slow rank's computations are multiplied

  double slowdown_of(int rank) const { return rank == slow_rank ? slowdown : 1; }
  bool any() const { return link.any() || slowdown > 1; }
};

template <class Visitor>
void describe(Visitor& v, comm::Stall& s) {
  v("rank", s.rank, Range{0, max_ranks - 1}, "Rank whose link stalls; not set: none.");
  v("after_seconds", s.after_seconds, Range{0, 1e6},
    "Minimum time from the start of the ranks to the stall, including calibration and certificate.");
  v("after_bytes", s.after_bytes, Range{0, 1e15}, "Minimum number of bytes that the rank sends before the stall.");
  v("seconds", s.seconds, Range{0, 1e6}, "Length of the stall; 0: the link never recovers.");
}

template <class Visitor>
void describe(Visitor& v, Throttle& t) {
  v.sweep("latency_seconds", t.link.latency_seconds, Range{0, 60}, "Latency added to each message.");
  v.sweep("bytes_per_second", t.link.bytes_per_second, Range{0, 1e15},
          "Rate at which a rank sends its messages, one after another; 0: no limit.");
  v.sweep("jitter_seconds", t.link.jitter_seconds, Range{0, 60},
          "Latency that varies from message to message, between 0 and this, added to each message; the same in each "
          "run. Predictions include only part of it.");
  v("stall", t.link.stall, "A link that passes no messages for some time. Predictions ignore it.");
  v.sweep("slow_rank", t.slow_rank, Range{0, max_ranks - 1},
          "Rank that computes `slowdown` times as long as the others.");
  v.sweep("slowdown", t.slowdown, Range{1, 1000},
          "Factor by which the slow rank's computations take longer; 1: it is as fast as the others.");
}

}  // namespace ddlbench::bench
