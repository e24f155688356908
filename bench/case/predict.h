#pragma once

#include "bench/records/record.h"
#include "program/plan.h"
#include "runtime/calibrate.h"
#include "simulator/simulate.h"

namespace ddlbench::bench {

/// This machine as calibrated: one host, all ranks on its cores.
simulator::Cluster cluster_of(const runtime::Calibration& calibration, int ranks, int threads_per_rank, int cores);

/// How the engine of this machine issues.
simulator::Options simulation_options(const runtime::Calibration& calibration);

/// One steady step of a completed plan, as it should take here. Throws InputError where a cost is not known.
simulator::Simulation simulate(const program::Plan& plan, const runtime::Calibration& calibration, int threads_per_rank,
                               int cores);

/// The mean over ranks, and the largest memory: what a row has as predicted.
PredictionRecord to_record(const program::Plan& plan, const simulator::Simulation& simulation);

}  // namespace ddlbench::bench
