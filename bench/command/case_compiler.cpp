#include "bench/command/case_compiler.h"

#include <algorithm>
#include <iostream>
#include <numeric>

#include "bench/case/memory.h"
#include "bench/case/placement.h"
#include "bench/config/problem.h"
#include "comm/communicator.h"
#include "graph/error.h"
#include "program/cost_table.h"
#include "program/passes.h"
#include "strategies/strategy.h"
#include "workloads/dataset.h"

namespace ddlbench::bench {

namespace {

bool expects_bad_data(const Experiment& experiment) {
  const auto expects = [](const StrategyChoice& strategy) { return strategy.expect == "bad_data"; };
  return std::any_of(experiment.strategies.begin(), experiment.strategies.end(), expects);
}

}  // namespace

/// A Setup refers to its case: the two stay together.
struct CaseCompiler::Entry {
  Entry(const Experiment& experiment, Case first, Data data)
      : which(std::move(first)), setup(prepare(experiment, which, std::move(data))) {}
  Case which;
  Setup setup;
};

CaseCompiler::CaseCompiler(const Experiment& experiment) : experiment_(experiment) {}
CaseCompiler::~CaseCompiler() = default;

const Data& CaseCompiler::data() {
  if (!data_.training) data_ = open_data(experiment_, &std::cerr);
  return data_;
}

void CaseCompiler::refuse(const std::string& pointer, const std::string& what) const {
  const auto at = experiment_.locations.find(pointer);
  throw ConfigError({{at == experiment_.locations.end() ? json::Location{} : at->second, pointer, what}},
                    experiment_.file);
}

void CaseCompiler::check_workload() {
  try {
    data();
  } catch (const workloads::BadData& error) {
    if (expects_bad_data(experiment_)) return;
    refuse("/workload/dataset", error.what());
  } catch (const InputError& error) {
    refuse("/workload/dataset", error.what());
  }
  const CheckpointChoice& checkpoint = experiment_.training.checkpoint;
  if (checkpoint.resume && checkpoint.load.empty()) {
    refuse("/training/checkpoint/resume", "there is nothing to resume: name a checkpoint in training/checkpoint/load");
  }
  const auto& batches = experiment_.workload.global_batch;
  Case smallest;
  smallest.global_batch = *std::min_element(batches.begin(), batches.end());
  const bool fits = smallest.global_batch <= data().training->size();
  for (const std::uint64_t seed : experiment_.training.seed) {
    smallest.seed = seed;
    try {
      prepare(experiment_, smallest, data());
    } catch (const InputError& error) {
      refuse(fits ? "/workload/model" : "/workload/global_batch", error.what());
    } catch (const workloads::BadData& error) {
      if (expects_bad_data(experiment_)) return;
      refuse("/training/checkpoint/load", error.what());
    }
    if (!checkpoint.resume) break;  // nothing else depends on the seed
  }
}

const Setup& CaseCompiler::setup_of(const Case& which) {
  auto& entry = by_batch_[which.global_batch];
  if (!entry) entry = std::make_unique<Entry>(experiment_, which, data());
  return entry->setup;
}

program::Plan CaseCompiler::compile(const Case& which, const program::CostTable& profile) {
  return bench::compile(setup_of(which), which.strategy.choice, which.ranks, profile);
}

void CaseCompiler::judge(Case& which) {
  which.unsupported = why_unplaced(experiment_.devices, which.ranks);
  if (!which.unsupported.empty()) return;
  try {
    program::Plan plan = compile(which);
    program::complete(plan, program::CostTable{});
    which.out_of_memory = why_too_large(plan);
  } catch (const strategies::Unsupported& error) {
    which.unsupported = error.what();
  } catch (const InputError& error) {
    which.unsupported = error.what();
  } catch (const workloads::BadData&) {
    if (which.strategy.expect != "bad_data") throw;
  }
}

std::string CaseCompiler::why_too_large(const program::Plan& plan) const {
  const std::vector<std::int64_t> peaks = peak_bytes_of(plan);
  if (experiment_.devices.apart) return why_too_large_apart(peaks, experiment_.devices);
  std::vector<int> here(peaks.size());
  std::iota(here.begin(), here.end(), 0);
  if (comm::find_transport(experiment_.devices.transport).processes) {  // who knows on how many machines
    here = {static_cast<int>(std::max_element(peaks.begin(), peaks.end()) - peaks.begin())};
  }
  return bench::why_too_large(peaks, here, memory_limits(experiment_.devices));
}

}  // namespace ddlbench::bench
