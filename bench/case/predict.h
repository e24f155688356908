#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/case/setup.h"
#include "bench/records/record.h"
#include "program/plan.h"
#include "runtime/calibrate.h"
#include "simulator/simulate.h"

namespace ddlbench::bench {

/// What one rank's loader takes for a batch: every step waits so long where the rank's cores are busy anyway.
double time_input(const Setup& setup, const program::Plan& plan, int rank);

/// A case's ranks as they were found.
struct CalibratedCase {
  runtime::Calibration work;
  std::vector<double> input_seconds;  ///< by rank
};

/// The ranks of a case time their own work, but for what is known, their link and their input. Collective over them.
CalibratedCase calibrate(const Setup& setup, const program::Plan& plan, int threads_per_rank, kernels::Device& device,
                         const runtime::Channels& channels, const program::CostTable& known,
                         const std::function<void()>& progress);

/// The same on threads of this process, each a rank bound to its cores as in a run; before that, memory is planned
/// as their devices want it.
CalibratedCase calibrate_on_threads(const Setup& setup, program::Plan& plan, int threads_per_rank,
                                    const program::CostTable& known);

/// One steady step of a completed plan, as it should take here, on one host: the last of `steps`. Throws InputError
/// where a cost is not known.
simulator::Simulation simulate(const program::Plan& plan, const CalibratedCase& calibrated, int threads_per_rank,
                               int cores, int steps = 2);

/// The mean over ranks, and the largest memory: what a row has as predicted.
PredictionRecord to_record(const program::Plan& plan, const simulator::Simulation& simulation);

}  // namespace ddlbench::bench
