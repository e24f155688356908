#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "comm/communicator.h"
#include "kernels/device.h"
#include "program/cost_table.h"
#include "program/plan.h"
#include "runtime/channels.h"

namespace ddlbench::runtime {

/// The measured costs of a plan's work on a machine: everything that a simulation of the plan needs.
struct Calibration {
  /// Seconds of every computation and collective of the training programs, except those for which memory did not
  /// suffice.
  program::CostTable costs;
  double link_latency_seconds = 0;
  double link_bytes_per_second = 0;  ///< 0 if the plan has one rank
  double start_seconds = 0;          ///< time to start a communication
};

struct CalibrationOptions {
  /// The number of ranks that compute at the same time: as many as have cores of their own. A measured time then
  /// includes the cost of other ranks' use of memory and caches, but no time in which another rank had the core. The
  /// simulator adds that time where cores are shared, so nothing has to be divided out.
  int at_once = 1;
  double seconds_per_op = 2e-3;    ///< spent on several runs, of which the lower quartile counts
  std::function<void()> progress;  ///< called by rank 0 from time to time; may be empty
};

/// Times every distinct computation and collective of a completed plan by itself, never a whole step.
///
/// Computations: the ranks take turns, `at_once` of them at a time, and later turns skip what an earlier turn has
/// timed. A rank runs its computations one after another, repeatedly, on memory laid out like the plan's: ranges shared
/// by two computations are shared here, too, and equal work runs on up to 8 different tensors. So caches are about as
/// warm as in a step. At most as much memory is used at once as the plan uses, or 128 MiB if that is more.
/// Collectives: one key after another, on all disjoint groups that have the key at the same time. Each rank computes
/// for a while before, as in a step.
/// The link: messages between ranks 0 and 1, empty ones and ones of the plan's largest size.
///
/// Costs that `known` has on all ranks are not measured again. Collective over all ranks of the plan. Returns the mean
/// over the ranks that measured, the same on all ranks.
Calibration calibrate(const program::Plan& plan, kernels::Device& device, const Channels& channels,
                      const program::CostTable& known, const CalibrationOptions& options);

}  // namespace ddlbench::runtime
