#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench/case/setup.h"
#include "bench/records/record.h"
#include "comm/throttle.h"
#include "program/plan.h"
#include "runtime/calibrate.h"
#include "simulator/simulate.h"

namespace ddlbench::bench {

/// Returns the seconds in which one rank's loader produces a batch. Each step waits that long if the rank's cores are
/// busy anyway.
double time_input(const Setup& setup, const program::Plan& plan, int rank);

/// Costs of a case, measured on its ranks.
struct CalibratedCase {
  runtime::Calibration work;
  std::vector<double> input_seconds;  ///< by rank
  std::vector<double> slowdowns;      ///< by rank: of devices/throttle, which `work` does not include
};

/// Times the ranks' own work (except for what `known` has), their link and their input. Collective over the ranks.
CalibratedCase calibrate(const Setup& setup, const program::Plan& plan, int threads_per_rank, kernels::Device& device,
                         const runtime::Channels& channels, const program::CostTable& known,
                         const std::function<void()>& progress);

/// Where the ranks of a prediction are.
enum class Hosts : std::uint8_t {
  this_one,
  /// Each rank has a host of its own, as fast as this one. Collectives cannot be timed here, so those whose algorithm
  /// is to be chosen by measured times use the ring.
  one_per_rank,
};

/// Does the same on threads of this process, without stalls, each a rank that is bound to its cores as in a run. First
/// completes `plan`, with memory planned for their devices. With Hosts::one_per_rank, times no collectives.
CalibratedCase calibrate_on_threads(const Setup& setup, program::Plan& plan, int threads_per_rank,
                                    const program::CostTable& known, Hosts hosts = Hosts::this_one);

using SimulatedSteps = simulator::Steps;

/// Returns the steps to simulate for a drawing. Where steps continue the work of earlier ones, it shows all from the
/// first one until each rank has repeated a steady step. Otherwise it shows the last one: a step that all ranks begin
/// at the same time, where possible, is easier to read than a steady one and takes as long.
SimulatedSteps steps_to_draw(const program::Plan& plan);

/// Simulates `steps` of a completed plan on this host; unless all are reported, the result is a steady step. Throws
/// InputError if a cost is unknown.
simulator::Simulation simulate(const program::Plan& plan, const CalibratedCase& calibrated, int threads_per_rank,
                               int cores, const SimulatedSteps& steps = {});

/// Does the same with each rank on a host of its own, as fast as this one, with a core for each of its threads.
/// Messages move over `link`, and collectives run through the rounds of their algorithms over it.
simulator::Simulation simulate_on_hosts(const program::Plan& plan, const CalibratedCase& calibrated,
                                        int threads_per_rank, const comm::Throttle& link,
                                        const SimulatedSteps& steps = {});

/// Returns the prediction as a row shows it: times as means over ranks, memory as the maximum.
PredictionRecord to_record(const program::Plan& plan, const simulator::Simulation& simulation);

}  // namespace ddlbench::bench
