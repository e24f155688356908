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

/// The way in which a rank starts its instructions.
enum class Issue : std::uint8_t {
  /// Like runtime::Engine on a CPU: one thread walks the instructions and runs each computation itself. A communication
  /// is started and stays in flight beside others. Before each instruction the thread waits for whatever is in its
  /// `after`.
  thread,
  /// Like a device with streams: each stream runs its instructions strictly in order, one at a time. Each starts once
  /// its dependencies on other streams are complete.
  streams,
};

/// How many steps after the cadence's ramp are simulated, and which are reported.
struct Steps {
  int count = 2;
  /// Reports all of them, from the first one. Otherwise the last one, or the last cycle of the cadence, and then more
  /// are simulated before it, if the cadence needs them.
  bool report_all = false;
};

struct Options {
  Issue issue = Issue::thread;
  Steps steps = {};
  double start_seconds = 0;           ///< time that the issuing thread takes to start a communication
  double copy_bytes_per_second = 0;   ///< between device and host; 0: unknown, and plans with copies are rejected
  std::vector<double> input_seconds;  ///< by rank, before each step; empty: none
};

/// Steps of a plan in virtual time: unless all are reported, a cycle (one step, if all run the same body).
struct Simulation {
  double step_seconds = 0;                                ///< mean over steps and ranks, as for measured steps
  std::vector<std::vector<program::StepTimeline>> steps;  ///< by step and rank, on one clock; input of program::split
  /// By rank and operation, in all reported steps, counted where messages leave.
  std::vector<std::map<std::string, std::int64_t>> sent_bytes;

  const std::vector<program::StepTimeline>& timelines() const { return steps.back(); }
};

/// Runs the training programs of a completed plan in virtual time, all ranks at once: the prologue, Options::steps, and
/// the epilogue. Deterministic.
///
/// A computation takes the time that `costs` has under its key, as if it had its cores to itself. A collective takes
/// its time from `costs`, too, counted from the moment when the last member of its group has started it and no other
/// transfer occupies a member's link. A collective that is not in the table runs through the rounds of its algorithm,
/// each of which takes as long as its slowest message. Messages move as described at Link.
///
/// Time is linear in the number of instructions of all ranks (and logarithmic in those in flight); memory is linear in
/// the number of ranks times the instructions of one step. Throws InputError naming the key if a cost is unknown, and
/// ContractError naming ranks and instructions if the plan stalls.
Simulation simulate(const program::Plan& plan, const program::CostTable& costs, const Cluster& cluster,
                    const Options& options = {});

}  // namespace ddlbench::simulator
