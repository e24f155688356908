#include "bench/command/expected_time.h"

#include <fmt/core.h>
#include <algorithm>
#include <set>

#include "base/error.h"
#include "base/units.h"
#include "bench/case/cost_cache.h"
#include "bench/case/peaks.h"
#include "bench/case/precision.h"
#include "bench/command/earlier_run.h"
#include "bench/records/cache_file.h"
#include "graph/flops.h"
#include "kernels/device.h"
#include "program/cost_table.h"
#include "workloads/dataset.h"

namespace ddlbench::bench {
namespace {

constexpr double setup_seconds = 1;  ///< of a case: its process, its data, its kernels

/// Returns the steps of the case's own training, measurement and certificate.
std::int64_t own_steps(const Experiment& experiment, const Setup& setup) {
  const Measure& measure = experiment.measure;
  if (experiment.derived.certificates_only) return measure.verify_steps;
  const std::int64_t measured =
      measure.verify_steps + measure.warmup_steps + std::int64_t{measure.steps} * measure.repetitions;
  if (!experiment.trains()) return measured;
  constexpr std::int64_t forward_steps_per_step = 3;
  const std::int64_t validation = setup.validations() * setup.validation_batches() / forward_steps_per_step;
  return measured + setup.steps_to_train() + validation;
}

/// Returns the time of the rank with the most work; nothing if the profile lacks the time of an op.
std::optional<double> seconds_of(const program::Plan& plan, const program::CostTable& profile) {
  double longest = 0;
  for (const program::Role& role : plan.roles) {
    double seconds = 0;
    for (const auto* section : program::sections(role.train)) {
      for (const program::Instruction& instruction : *section) {
        const auto* compute = std::get_if<program::Compute>(&instruction.action);
        if (compute == nullptr) continue;
        const program::OpCost* cost = profile.find(program::cost_key(*compute));
        if (cost == nullptr || !cost->seconds) return std::nullopt;
        seconds += *cost->seconds;
      }
    }
    longest = std::max(longest, seconds);
  }
  return longest;
}

/// Returns the time of a step by the cached profile; nothing if there is none.
std::optional<double> profiled_seconds(const Case& which, CaseCompiler& compiler, int cores) {
  try {
    const auto profile =
        load_profile(cache_folder(), profile_context(compiler.setup_of(which).experiment, which, cores));
    if (profile.all().empty()) return std::nullopt;
    return seconds_of(compiler.compile(which, profile), profile);
  } catch (const InputError&) {  // such as a device that this machine does not have
    return std::nullopt;
  } catch (const workloads::BadData&) {  // the case expects it, or its run reports it
    return std::nullopt;
  } catch (const ContractError&) {  // a defect, which the case's run reports
    return std::nullopt;
  }
}

/// Returns the peak rate of this machine; nothing if it lacks the device.
std::optional<double> peak_flops_per_second(const Experiment& experiment, int cores) {
  try {
    kernels::DeviceOptions options;
    options.threads = cores;
    const auto device = kernels::make_device(experiment.devices.kind, options);
    constexpr double longest_product = 5e-3;  // an estimate must not make the user wait
    return PeakProbe(*device, stored_type(experiment.training.precision), longest_product).best().flops_per_second;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// Returns the longest time that the rounds of all contracts may take.
double rounds_seconds(const Experiment& experiment, const std::vector<Case>& running) {
  std::set<std::string> contracts;
  for (const Case& which : running) contracts.insert(which.contract_id);
  return static_cast<double>(contracts.size()) * experiment.longest_rounds_seconds();
}

/// Returns what follows the estimate of the cases' own processes.
std::string with_rounds(double seconds) {
  return seconds > 0 ? fmt::format(", then at most {} of rounds", format_duration(seconds)) : "";
}

std::string by_flops(const Experiment& experiment, const std::vector<Case>& cases, const std::vector<CaseWork>& work,
                     int cores, double rounds) {
  const std::optional<double> peak = peak_flops_per_second(experiment, cores);
  if (!peak) return "Expected time: unknown, because this machine lacks the device.\n";
  double seconds = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!cases[i].can_run()) continue;
    const double share = std::min(1.0, static_cast<double>(cases[i].ranks) * cases[i].threads_per_rank / cores);
    seconds += setup_seconds + static_cast<double>(work[i].steps) * work[i].flops_per_step / (*peak * share);
  }
  return fmt::format(
      "Expected time: at least {}{}: counted FLOPs at the peak that this machine reaches now, {} GFLOP/s, and {} to "
      "set up each case. Small layers and communication take longer; after a first run, this estimate "
      "uses that run's records.\n",
      format_duration(seconds), with_rounds(rounds), format_ratio(*peak / 1e9), format_duration(setup_seconds));
}

}  // namespace

std::vector<CaseWork> work_of(const Experiment& experiment, const std::vector<Case>& cases, CaseCompiler& compiler) {
  std::set<std::string> contracts;
  std::vector<CaseWork> work(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!cases[i].can_run()) continue;
    try {
      const Setup& setup = compiler.setup_of(cases[i]);
      work[i].steps = own_steps(experiment, setup);
      work[i].flops_per_step = graph::training_flops(setup.model);
    } catch (const workloads::BadData&) {  // the case expects it, or its run reports it
      continue;
    }
    constexpr std::int64_t reference_runs = 2;  // the second one measures the effect of rounding
    if (contracts.insert(cases[i].contract_id).second)
      work[i].steps += reference_runs * experiment.measure.verify_steps;
  }
  return work;
}

void add_profiled_times(std::vector<CaseWork>& work, const std::vector<Case>& cases, CaseCompiler& compiler,
                        int cores) {
  constexpr std::size_t most_compiled = 200;  // more would take too long
  if (cases.size() > most_compiled) return;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (cases[i].can_run()) work[i].profiled_step_seconds = profiled_seconds(cases[i], compiler, cores);
  }
}

std::string expected_time(const Experiment& experiment, const std::vector<Case>& cases,
                          const std::vector<CaseWork>& work, int cores, const std::string& results) {
  std::vector<Case> running;
  double profiled = 0;
  bool all_profiled = true;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (!cases[i].can_run()) continue;
    running.push_back(cases[i]);
    const CaseWork& one = work[i];
    all_profiled = all_profiled && one.profiled_step_seconds.has_value();
    profiled += setup_seconds + static_cast<double>(one.steps) * one.profiled_step_seconds.value_or(0);
  }
  if (cases.empty()) return "Expected time: none: no case is left to run.\n";
  if (running.empty()) return "Expected time: none, because no case can run.\n";
  if (const auto earlier = find_earlier_run(experiment, running, results)) {
    return fmt::format("Expected time: about {}: these cases took that long in {}.\n",
                       format_duration(earlier->seconds), earlier->folder);
  }
  const double rounds = rounds_seconds(experiment, running);
  if (all_profiled) {
    return fmt::format(
        "Expected time: about {}{}: the profile of the operators on this machine, without communication, and {} to set "
        "up each case.\n",
        format_duration(profiled), with_rounds(rounds), format_duration(setup_seconds));
  }
  return by_flops(experiment, cases, work, cores, rounds);
}

}  // namespace ddlbench::bench
