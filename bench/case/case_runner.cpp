#include "bench/case/case_runner.h"

#include <exception>
#include <iostream>

#include "base/error.h"
#include "base/stopwatch.h"
#include "bench/case/case_on_rank.h"
#include "bench/case/checkpoint_files.h"
#include "bench/case/cost_cache.h"
#include "bench/case/measure.h"
#include "bench/case/relay.h"
#include "bench/case/replay.h"
#include "bench/case/train.h"
#include "bench/case/verify.h"
#include "bench/records/cache_file.h"
#include "comm/process_place.h"
#include "program/print.h"

namespace ddlbench::bench {
namespace {

/// The phases of a case in one process. The phases of its ranks run inside the launch.
class CaseInProcess {
 public:
  CaseInProcess(const platform::MemoryProbe& memory, const Experiment& experiment, const Case& which,
                const std::string& trace_file, Progress& progress)
      : experiment_(experiment),
        which_(which),
        leads_(!experiment.devices.ranks_are_processes() ||
               comm::process_place().value_or(comm::ProcessPlace{}).rank == 0),
        heartbeat_(leads_ ? progress : null_progress_, 0, leads_ ? std::clog : nowhere_),
        state_{trace_file, memory, process_memory_, heartbeat_, {}, {}, {}, {}, {}} {
    require(experiment.training.epochs > 0, "a case trains at least one epoch");
  }

  Measurement run() {
    try {
      prepare();
      compile();
      if (which_.visit_steps == 0) make_reference();
    } catch (...) {
      if (!experiment_.devices.ranks_are_processes()) throw;
      failed_before_launch_ = std::current_exception();  // other processes may already be waiting in the launch
    }
    launch();
    if (interrupted_) std::rethrow_exception(interrupted_);
    return leads_ ? state_.measurement : Measurement{};
  }

 private:
  /// Loads the data, builds model and optimizer, and makes the folder for checkpoints.
  void prepare() {
    state_.setup.emplace(bench::prepare(experiment_, which_));
    const bool trains = which_.visit_steps == 0 && experiment_.trains();
    if (leads_ && trains) make_checkpoint_folder(experiment_.training.checkpoint);
  }

  /// Compiles the strategy's plan and determines the number of steps of the case.
  void compile() {
    heartbeat_.enter("compile");
    const Setup& setup = *state_.setup;
    const std::string context = profile_context(experiment_, which_, static_cast<int>(setup.cores.size()));
    state_.plan = bench::compile(setup, which_.strategy.choice, which_.ranks, load_profile(cache_folder(), context));
    state_.certified_steps = certified_steps(state_.plan.cadence, experiment_.measure.verify_steps);
    heartbeat_.set_total(total_steps());
    state_.measurement.promise = std::string(program::name(state_.plan.promise.kind));
    state_.measurement.mesh = program::describe_meshes(state_.plan);
    state_.measurement.microbatches = state_.plan.microbatches;
    state_.measurement.cycle_steps = state_.plan.cadence.cycle_steps();
  }

  /// Makes the reference for the certificate. Only the process of rank 0 does so; the others wait in the launch and
  /// leave the cores to it.
  void make_reference() {
    const CertifiedSteps& steps = state_.certified_steps;
    if (steps.count == 0) {
      state_.measurement.certificate_reason = "measure/verify_steps is 0";
    } else if (leads_) {
      heartbeat_.enter("reference");
      const program::UpdateRule* const rule = state_.plan.promise.rule.get();
      state_.reference =
          rule == nullptr
              ? run_reference(*state_.setup, steps.count, heartbeat_, state_.available_memory)
              : run_replay(*state_.setup, *rule, state_.plan.microbatches, steps, heartbeat_, state_.available_memory);
    }
  }

  /// Runs the phases of each rank.
  void launch() {
    comm::WorldOptions options;
    // Shorter than the supervisor's timeout, so that the error names rank and operation.
    options.timeout = milliseconds_of(0.8 * experiment_.measure.timeout_seconds);
    options.throttle = experiment_.devices.throttle.link;
    const auto on_rank = [&](comm::Communicator& communicator) { run_rank(communicator, options.timeout); };
    try {
      comm::find_transport(experiment_.devices.transport).launch(which_.ranks, options, on_rank);
    } catch (const comm::CommunicationError& error) {
      throw_relayed(error);
    }
  }

  /// Runs the phases of one rank. Where ranks are processes, a failing rank sends its error to the other processes.
  void run_rank(comm::Communicator& communicator, std::chrono::milliseconds timeout) {
    try {
      if (failed_before_launch_) std::rethrow_exception(failed_before_launch_);
      CaseOnRank(state_, communicator, timeout).run();
    } catch (const Interrupted&) {  // all ranks are here: the launch ends in order
      if (communicator.rank() == 0 || experiment_.devices.ranks_are_processes())
        interrupted_ = std::current_exception();
    } catch (...) {
      if (experiment_.devices.ranks_are_processes()) abort_with(communicator, std::current_exception());
      throw;
    }
  }

  /// Returns the number of steps of the certificate (two runs of the reference and one of the case), of measuring,
  /// training and validating.
  std::int64_t total_steps() const {
    const Setup& setup = *state_.setup;
    const program::Cadence& cadence = state_.plan.cadence;
    const std::int64_t timed = untimed_steps(setup, cadence) + timed_steps(setup, cadence);
    if (which_.visit_steps > 0) return timed;
    const std::int64_t certificate = 3 * state_.certified_steps.count;
    if (experiment_.derived.certificates_only) return certificate;
    if (!experiment_.trains()) return certificate + timed;
    return certificate + timed + setup.steps_to_train() + setup.validations() * setup.validation_batches();
  }

  const Experiment& experiment_;
  const Case& which_;
  const bool leads_;              ///< whether this is the process of rank 0
  ProcessMemory process_memory_;  ///< constructed first, while the case holds no memory yet
  NullProgress null_progress_;
  std::ostream nowhere_{nullptr};
  Heartbeat heartbeat_;
  CaseState state_;
  std::exception_ptr failed_before_launch_;
  std::exception_ptr interrupted_;  ///< by a request to stop
};

}  // namespace

Measurement run_case(const Experiment& experiment, const Case& which, const std::string& trace_file,
                     Progress& progress) {
  return run_case_within(platform::probe_memory, experiment, which, trace_file, progress);
}

Measurement run_case_within(const platform::MemoryProbe& memory, const Experiment& experiment, const Case& which,
                            const std::string& trace_file, Progress& progress) {
  return CaseInProcess(memory, experiment, which, trace_file, progress).run();
}

}  // namespace ddlbench::bench
