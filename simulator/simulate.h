#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "program/cost_table.h"
#include "program/plan.h"
#include "program/timeline.h"
#include "simulator/cluster.h"

namespace ddlbench::simulator {

/// Who starts what, and when.
enum class Issue : std::uint8_t {
  /// As runtime::Engine on a CPU: one thread walks the instructions. A computation holds it; a communication
  /// is started and left in flight, beside others; what an instruction is `after` is waited for before it.
  thread,
  /// As a device with queues: each stream runs its instructions strictly in order, one at a time, each
  /// once what it is `after` on other streams is complete.
  streams,
};

struct Options {
  Issue issue = Issue::thread;
  int steps = 2;                      ///< iterations of the body; the last is reported
  double start_seconds = 0;           ///< of the issuing thread, to start a communication
  double copy_bytes_per_second = 0;   ///< between device and host; 0: not known, and a plan with copies is refused
  std::vector<double> input_seconds;  ///< by rank, before each step; empty: none
};

/// One step of a plan in virtual time.
struct Simulation {
  double step_seconds = 0;                       ///< mean over ranks, as steps are measured
  std::vector<program::StepTimeline> timelines;  ///< by rank, on one clock; program::split makes the budgets
  std::vector<std::map<std::string, std::int64_t>> sent_bytes;  ///< by rank and operation, of one step, counted where
                                                                ///< messages leave
};

/// Runs the training programs of a completed plan, all ranks, in virtual time: the prologue, `steps` times
/// the body, and the epilogue. Deterministic.
///
/// A computation takes what `costs` has under its key, as if its cores were its own; so does a collective,
/// from when the last of its group has started it and no member's link is held by another transfer. A
/// collective that is not in the table goes through the rounds of its algorithm, each as long as its slowest
/// message. Messages move as Link says.
///
/// Time is linear in the instructions of all ranks (logarithmic in those in flight), memory in the ranks times
/// the instructions of one step. Throws InputError naming the key where a cost is not known, and
/// ContractError naming ranks and instructions where the plan stands still.
Simulation simulate(const program::Plan& plan, const program::CostTable& costs, const Cluster& cluster,
                    const Options& options = {});

}  // namespace ddlbench::simulator
