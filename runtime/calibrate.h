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

/// What a machine was found to take for the work of a plan: all that a simulation of it wants.
struct Calibration {
  /// Seconds of every computation and collective of the training programs, but of what there was no memory for.
  program::CostTable costs;
  double link_latency_seconds = 0;
  double link_bytes_per_second = 0;  ///< 0 where the plan has one rank
  double start_seconds = 0;          ///< to start a communication
};

struct CalibrationOptions {
  /// How many ranks compute at the same time: as many as have cores of their own. So a time holds what the
  /// others' use of memory and caches costs, and no time in which another rank had the core: the simulator
  /// adds that where it comes to it, and nothing has to be divided out.
  int at_once = 1;
  double seconds_per_op = 2e-3;    ///< in several runs, of which the lower quartile counts
  std::function<void()> progress;  ///< called now and then by rank 0; may be empty
};

/// Times every distinct computation and collective of a completed plan by itself, never a step.
///
/// Computations: the ranks take turns, `at_once` of them at a time, and what an earlier turn has timed a later
/// one leaves out. A rank runs its computations one after another, round and round, on memory like the plan's
/// (what two of them share is one; equal work on up to 8 different tensors), so that caches are about as warm as in a
/// step, and with no more of it than the plan has at once, or 128 MiB.
/// Collectives: one key after another, on all disjoint groups that have it at the same time, after a while of
/// computing on each rank, as in a step.
/// The link: messages between ranks 0 and 1, empty ones and such as the plan's largest.
///
/// What `known` has, on all ranks, is not timed again. Collective over all ranks of the plan; the result is
/// the mean of what ranks found, and the same on all.
Calibration calibrate(const program::Plan& plan, kernels::Device& device, const Channels& channels,
                      const program::CostTable& known, const CalibrationOptions& options);

}  // namespace ddlbench::runtime
