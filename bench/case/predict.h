#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/records/record.h"
#include "program/plan.h"
#include "runtime/calibrate.h"
#include "simulator/simulate.h"

namespace ddlbench::bench {

/// The ranks of a case time their own work. Collective over them.
runtime::Calibration calibrate(const program::Plan& plan, kernels::Device& device, comm::Communicator& communicator,
                               int threads_per_rank, int cores, const std::function<void()>& progress);

/// The same on threads of this process, each a rank bound to its cores as in a run; before that, memory is planned
/// as their devices want it.
runtime::Calibration calibrate_on_threads(program::Plan& plan, const std::string& device_kind, int threads_per_rank,
                                          const std::vector<int>& cores);

/// This machine as calibrated: one host, all ranks on its cores.
simulator::Cluster cluster_of(const runtime::Calibration& calibration, int ranks, int threads_per_rank, int cores);

/// How the engine of this machine issues.
simulator::Options simulation_options(const runtime::Calibration& calibration);

/// One steady step of a completed plan, as it should take here: the last of `steps`. Throws InputError where a
/// cost is not known.
simulator::Simulation simulate(const program::Plan& plan, const runtime::Calibration& calibration, int threads_per_rank,
                               int cores, int steps = 2);

/// The mean over ranks, and the largest memory: what a row has as predicted.
PredictionRecord to_record(const program::Plan& plan, const simulator::Simulation& simulation);

}  // namespace ddlbench::bench
