#include "bench/command/case_compiler.h"

#include <fmt/core.h>
#include <algorithm>
#include <iostream>
#include <numeric>
#include <set>
#include <tuple>

#include "base/error.h"
#include "bench/case/checkpoint_files.h"
#include "bench/case/checkpoints.h"
#include "bench/case/memory.h"
#include "bench/case/placement.h"
#include "bench/config/missing_path.h"
#include "bench/config/problem.h"
#include "bench/config/variants.h"
#include "bench/learning_rate/schedule.h"
#include "program/cost_table.h"
#include "program/passes.h"
#include "strategies/strategy.h"
#include "workloads/dataset.h"

namespace ddlbench::bench {

namespace {

bool expects_bad_data(const Experiment& experiment) {
  const auto expects = [](const auto& one) { return one.expect == "bad_data"; };
  const auto& strategies = experiment.strategies;
  const auto& rules = experiment.combinations.rules;
  return std::any_of(strategies.begin(), strategies.end(), expects) || std::any_of(rules.begin(), rules.end(), expects);
}

}  // namespace

/// A Setup refers to its case, so both are stored together.
struct CaseCompiler::Entry {
  Entry(const Experiment& experiment, Case first, Data data)
      : which(std::move(first)), setup(prepare(experiment, which, std::move(data))) {}
  Case which;
  Setup setup;
};

/// Variants with equal plans. Their data are opened when they are first needed.
struct CaseCompiler::Opened {
  Experiment experiment;
  Data data = {};
  std::map<std::int64_t, std::unique_ptr<Entry>> by_batch = {};
};

CaseCompiler::CaseCompiler(const Experiment& experiment) : experiment_(experiment) {}
CaseCompiler::~CaseCompiler() = default;

int CaseCompiler::key_of(const Case& which) {
  if (experiment_.variants.empty()) return 0;
  const std::string& compiled = experiment_.variants[static_cast<std::size_t>(which.variant)].compiled;
  return keys_.try_emplace(compiled, static_cast<int>(keys_.size())).first->second;
}

CaseCompiler::Opened& CaseCompiler::opened(const Case& which) {
  constexpr std::size_t most_kept = 32;  // models are large, and there may be thousands
  const int key = key_of(which);
  std::unique_ptr<Opened>& found = opened_[key];
  if (found) return *found;
  found = std::make_unique<Opened>(Opened{of_case(experiment_, which)});
  order_.push_back(key);
  if (order_.size() > most_kept) {
    opened_.erase(order_.front());
    order_.erase(order_.begin());
  }
  return *found;
}

/// Returns the data. Variants with the same data set share one copy.
const Data& CaseCompiler::data(Opened& workload) {
  const auto same_data = [&workload](const auto& other) {
    const Workload &one = workload.experiment.workload, &two = other.second->experiment.workload;
    return other.second->data.training && one.dataset.kind == two.dataset.kind &&
           one.dataset.options == two.dataset.options && one.loader.corrupt == two.loader.corrupt;
  };
  if (workload.data.training) return workload.data;
  const auto same = std::find_if(opened_.begin(), opened_.end(), same_data);
  return workload.data = same != opened_.end() ? same->second->data : open_data(workload.experiment, &std::cerr);
}

void CaseCompiler::throw_config_error(const std::string& pointer, const std::string& what) const {
  throw ConfigError({{location_of(experiment_.locations, pointer), pointer, what}}, experiment_.sources);
}

std::string CaseCompiler::digest_of_start() const {
  try {
    return bench::digest_of_start(experiment_.training.checkpoint);
  } catch (const workloads::BadData& error) {
    if (expects_bad_data(experiment_)) return "";
    throw_config_error("/training/checkpoint/load", error.what());
  }
}

void CaseCompiler::check_workload() {
  const CheckpointSettings& checkpoint = experiment_.training.checkpoint;
  if (checkpoint.resume && checkpoint.load.empty()) {
    throw_config_error("/training/checkpoint/resume",
                       "there is nothing to resume: name a checkpoint in training/checkpoint/load");
  }
  try {
    if (experiment_.trains()) require_checkpoint_folder(checkpoint);
  } catch (const InputError& error) {
    throw_config_error("/training/checkpoint/save", error.what());
  }
  std::set<int> checked;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, experiment_.variants.size()); ++i) {
    Case smallest;
    smallest.variant = static_cast<int>(i);
    if (checked.insert(key_of(smallest)).second) check_workload(smallest);
    const Opened& workload = opened(smallest);
    if (workload.data.training) check_schedule(smallest, workload.data.training->size());
  }
}

std::string CaseCompiler::pointer_of(const Case& which, const std::string& setting) const {
  const auto index = static_cast<std::size_t>(which.variant);
  return index < experiment_.variants.size() ? experiment_.variants[index].pointer_of(setting) : setting;
}

void CaseCompiler::check_workload(const Case& of) {
  Opened& workload = opened(of);
  const Experiment& experiment = workload.experiment;
  const std::string dataset = pointer_of(of, "/workload/dataset");
  try {
    data(workload);
  } catch (const workloads::BadData& error) {
    if (expects_bad_data(experiment_)) return;
    throw_config_error(dataset,
                       error.what() + missing_path_note(experiment.workload.dataset, experiment_.sources.file));
  } catch (const InputError& error) {
    throw_config_error(dataset, error.what());
  }
  Case smallest = of;
  smallest.global_batch = experiment.workload.least_batch();
  const bool fits = smallest.global_batch <= data(workload).training->size();
  for (const std::uint64_t seed : experiment.training.seed) {
    smallest.seed = seed;
    try {
      prepare(experiment, smallest, data(workload));
    } catch (const InputError& error) {
      const char* batch = experiment.workload.scales_weakly() ? "/workload/batch_per_rank" : "/workload/global_batch";
      throw_config_error(pointer_of(of, fits ? "/workload/model" : batch), error.what());
    } catch (const workloads::BadData& error) {
      if (expects_bad_data(experiment_)) return;
      const std::string note = missing_path_note(experiment.training.checkpoint.load, experiment_.sources.file);
      throw_config_error("/training/checkpoint/load", error.what() + note);
    }
    if (!experiment.training.checkpoint.resume) break;  // only the check for a resume depends on the seed
  }
}

void CaseCompiler::check_schedule(const Case& of, std::int64_t samples) const {
  const auto index = static_cast<std::size_t>(of.variant);
  const bool listed = index < experiment_.variants.size();
  const Training& training = listed ? experiment_.variants[index].training : experiment_.training;
  const Workload& workload = listed ? experiment_.variants[index].workload : experiment_.workload;
  for (const std::int64_t batch : workload.batches()) {
    const std::int64_t steps_per_epoch = samples / batch;
    if (steps_per_epoch == 0) continue;  // its cases report this
    try {
      const Schedule schedule(training.rate, training.learning_rate(), {training.epochs, steps_per_epoch, batch});
    } catch (const InputError& error) {
      throw_config_error("/training/warmup_steps", fmt::format("with a global batch of {}, {}", batch, error.what()));
    }
  }
}

const Setup& CaseCompiler::setup_of(const Case& which) {
  Opened& workload = opened(which);
  auto& entry = workload.by_batch[which.global_batch];
  if (!entry) entry = std::make_unique<Entry>(workload.experiment, which, data(workload));
  return entry->setup;
}

program::Plan CaseCompiler::compile(const Case& which, const program::CostTable& profile) {
  return bench::compile(setup_of(which), which.strategy.choice, which.ranks, profile);
}

void CaseCompiler::check_case(Case& which) {
  // A plan depends on neither seeds nor threads.
  const auto [known, is_new] =
      judged_.try_emplace(std::tuple(key_of(which), which.strategy.index, which.ranks, which.global_batch));
  if (is_new) {
    judge_uncached(which);
    known->second = {which.unsupported, which.out_of_memory};
  }
  which.unsupported = known->second.unsupported;
  which.out_of_memory = known->second.out_of_memory;
}

void CaseCompiler::judge_uncached(Case& which) {
  which.unsupported = why_unplaced(opened(which).experiment.devices, which.ranks);
  if (!which.unsupported.empty()) return;
  try {
    program::Plan plan = compile(which);
    program::complete(plan, program::CostTable{});
    which.out_of_memory = why_too_large(plan, opened(which).experiment.devices);
  } catch (const strategies::Unsupported& error) {
    which.unsupported = error.what();
  } catch (const InputError& error) {
    which.unsupported = error.what();
  } catch (const workloads::BadData&) {
    if (which.strategy.expect != "bad_data") throw;
  } catch (const ContractError&) {
    return;  // a defect ends only the case's own process, which reports it
  }
}

std::string CaseCompiler::why_too_large(const program::Plan& plan, const Devices& devices) {
  const std::vector<std::int64_t> peaks = peak_bytes_of(plan);
  if (devices.derived.is_accelerator) return why_too_large_apart(peaks, devices);
  std::vector<int> here(peaks.size());
  std::iota(here.begin(), here.end(), 0);
  if (devices.needs_launcher()) {  // the number of machines is unknown, so each rank is checked alone
    here = {static_cast<int>(std::max_element(peaks.begin(), peaks.end()) - peaks.begin())};
  }
  return bench::why_too_large(peaks, here, memory_limits(devices));
}

}  // namespace ddlbench::bench
