#include "bench/case/case_runner.h"

#include <algorithm>
#include <exception>
#include <iostream>
#include <numeric>
#include <optional>

#include "base/error.h"
#include "bench/case/certificate_memory.h"
#include "bench/case/channels.h"
#include "bench/case/collectives.h"
#include "bench/case/cost_cache.h"
#include "bench/case/device_options.h"
#include "bench/case/gather.h"
#include "bench/case/measure.h"
#include "bench/case/memory.h"
#include "bench/case/predict.h"
#include "bench/case/process_memory.h"
#include "bench/case/rank_accounts.h"
#include "bench/case/relay.h"
#include "bench/case/trace_writer.h"
#include "bench/case/train.h"
#include "bench/case/verify.h"
#include "bench/records/cache_file.h"
#include "comm/process_place.h"
#include "platform/bound_cores.h"
#include "program/print.h"

namespace ddlbench::bench {
namespace {

std::int64_t total_steps(const Setup& setup) {
  const Measure& measure = setup.experiment.measure;
  if (setup.experiment.derived.certificates_alone) return 3 * std::int64_t{measure.verify_steps};
  const std::int64_t batch = setup.which.global_batch;
  const std::int64_t validation = (setup.validation->size() + batch - 1) / batch;
  return 3 * std::int64_t{measure.verify_steps} + measure.warmup_steps +
         std::int64_t{measure.steps} * measure.repetitions +
         (setup.experiment.training.epochs - setup.start.epochs) * (setup.batches() + validation);
}

/// One rank of a case through all its phases. Rank 0 writes the measurement and tells the watcher.
graph::DType type_of_parameters(const graph::Graph& model) {
  return model.tensors[static_cast<std::size_t>(model.with_role(graph::Role::parameter).front())].type.dtype;
}

class CaseOnRank {
 public:
  CaseOnRank(const Setup& setup, const program::Plan& plan, kernels::Device& device, const runtime::Channels& channels,
             Pulse& pulse, Measurement& measurement)
      : setup_(setup),
        trainer_(setup, plan, device, channels),
        pulse_(channels.host.rank() == 0 ? &pulse : nullptr),
        measurement_(measurement) {}

  /// Ends with the reference's traces: whole copies of weights and gradients, which training is not to carry along.
  void verify(Reference& reference) {
    const std::int64_t steps = setup_.experiment.measure.verify_steps;
    const runtime::Trace trace = record_trace(trainer_, training_order(setup_, steps), steps, pulse_);
    if (pulse_ == nullptr) return;
    note_certificate(runtime::certify(trace, reference.trace, reference.noise, type_of_parameters(setup_.model)),
                     !reference.trace.final_statistics.empty(), measurement_);
    reference.trace = {};
  }

  void begin_training(ProcessMemory& memory, bool ranks_are_processes) {
    comm::run(trainer_.communicator().barrier());
    if (ranks_are_processes || trainer_.rank() == 0) memory.begin_training();
    comm::run(trainer_.communicator().barrier());
  }

  void note_memory(const ProcessMemory& memory, bool ranks_are_processes) {
    const HostMemoryRecord record = memory.gather(trainer_, ranks_are_processes);
    if (pulse_ != nullptr) measurement_.host_memory = record;
  }

  void measure(const std::string& trace_file) {
    const Counted counted = run_measured_steps(trainer_, pulse_);
    require_as_planned(trainer_, counted);
    const auto ranks = gather_steps(trainer_.communicator(), counted.steps);
    const auto steps = static_cast<double>(counted.steps.size());
    const auto counts = all_gather<double>(trainer_.communicator(),
                                           {counted.flops / steps, static_cast<double>(counted.launches) / steps});
    if (pulse_ == nullptr) return;
    const StepTimes times = step_times(trainer_.plan(), ranks, setup_.which.seed);
    const std::vector<program::Account> accounts = accounts_of(trainer_.plan());
    std::vector<double> flops;
    measurement_.launches_per_rank_per_step = 0;
    for (const std::vector<double>& rank : counts) {
      flops.push_back(rank.at(0));
      measurement_.launches_per_rank_per_step += rank.at(1) / static_cast<double>(counts.size());
    }
    note_times(times);
    measurement_.flops_per_second = std::accumulate(flops.begin(), flops.end(), 0.0) / times.step.value;
    if (setup_.experiment.devices.derived.apart) measurement_.launch_mode = trainer_.engine().launch_mode();
    note_accounts(accounts);
    for (const RankRecord& record : rank_records(trainer_, times, accounts, flops)) pulse_->progress().rank(record);
    if (trace_file.empty()) return;
    std::vector<program::StepTimeline> first;
    for (const std::vector<MeasuredStep>& rank : ranks) first.push_back(rank.front().timeline);
    try {
      write_trace_file(trace_file, trainer_.plan(), first);
    } catch (const InputError& error) {  // what was measured stands without it
      measurement_.trace_failure = error.what();
      std::cerr << std::string("the trace of a step is not written: ") + error.what() + "\n" << std::flush;
    }
  }

  void train() {
    if (pulse_ != nullptr) expect_training();
    const std::vector<EpochRecord> epochs = train_epochs(trainer_, pulse_);
    if (pulse_ == nullptr) return;
    // The first epoch also warms caches up; it counts only where it is the only one.
    const std::size_t first = epochs.size() > 1 ? 1 : 0;
    double seconds = 0;
    for (std::size_t i = first; i < epochs.size(); ++i) seconds += epochs[i].epoch_seconds;
    measurement_.epoch_seconds = seconds / static_cast<double>(epochs.size() - first);
    measurement_.epoch_seconds_source = "measured";
    measurement_.final_train_loss = epochs.back().train_loss;
    measurement_.final_validation_loss = epochs.back().validation_loss;
    measurement_.final_accuracy_ratio = epochs.back().accuracy_ratio;
    measurement_.final_perplexity = epochs.back().perplexity;
    measurement_.final_loss_scale = epochs.back().loss_scale;
    measurement_.skipped_steps = epochs.back().skipped_steps;
  }

 private:
  /// From what was measured, without validations.
  void expect_training() {
    const std::int64_t steps = (setup_.experiment.training.epochs - setup_.start.epochs) * setup_.batches();
    pulse_->enter("train epoch " + std::to_string(setup_.start.epochs + 1));
    pulse_->expect("train", static_cast<double>(steps) * measurement_.step_seconds);
  }

  void note_times(const StepTimes& times) {
    measurement_.repetitions = setup_.experiment.measure.repetitions;
    measurement_.step_seconds = times.step.value;
    measurement_.step_seconds_low = times.step.low;
    measurement_.step_seconds_high = times.step.high;
    measurement_.samples_per_second = static_cast<double>(setup_.which.global_batch) / times.step.value;
    measurement_.budget = times.mean;
  }

  /// What every rank was held to: the mean of the bytes sent, the largest memory.
  void note_accounts(const std::vector<program::Account>& accounts) {
    double sent = 0;
    for (const program::Account& account : accounts) {
      sent += static_cast<double>(account.total_sent_bytes()) / static_cast<double>(accounts.size());
      measurement_.peak_memory_bytes = std::max(measurement_.peak_memory_bytes, account.peak_bytes);
    }
    measurement_.sent_bytes_per_rank_per_step = static_cast<std::int64_t>(sent + 0.5);
  }

  const Setup& setup_;
  Trainer trainer_;
  Pulse* pulse_;
  Measurement& measurement_;
};

program::CostTable profile_of(const Setup& setup) {
  const auto cores = static_cast<int>(setup.cores.size());
  return load_profile(cache_folder(), profile_context(setup.experiment, setup.which, cores));
}

/// For processes that tell nothing.
class Silence final : public Progress {
 public:
  void alive(const std::string&, double) override {}
  void epoch(const EpochRecord&) override {}
  void rank(const RankRecord&) override {}
};

/// Nothing, and a line in the log, where none can be made.
std::optional<PredictionRecord> prediction_of(const Setup& setup, const program::Plan& plan,
                                              const CalibratedCase& calibrated, std::optional<int> devices) {
  try {
    // On GPUs it is these that ranks share or not, as they would cores.
    const int cores = devices.value_or(static_cast<int>(setup.cores.size()));
    return to_record(plan, simulate(plan, calibrated, devices ? 1 : setup.which.threads_per_rank, cores));
  } catch (const InputError& error) {
    std::cerr << "no prediction: " << error.what() << std::endl;
    return std::nullopt;
  }
}

}  // namespace

Measurement run_case(const Experiment& experiment, const Case& which, const std::string& trace_file,
                     Progress& progress) {
  return run_case_within(platform::probe_memory, experiment, which, trace_file, progress);
}

Measurement run_case_within(const platform::MemoryProbe& memory, const Experiment& experiment, const Case& which,
                            const std::string& trace_file, Progress& progress) {
  const comm::Transport& transport = comm::find_transport(experiment.devices.transport);
  const bool leads = !transport.processes || comm::process_place().value_or(comm::ProcessPlace{}).rank == 0;
  ProcessMemory process_memory;
  Silence silence;
  Progress& heard = leads ? progress : silence;
  std::ostream nowhere(nullptr);
  Pulse pulse(heard, 0, leads ? std::clog : nowhere);
  require(experiment.training.epochs > 0, "a case trains at least one epoch");
  std::optional<Setup> setup;
  program::Plan plan;
  Measurement measurement;
  Reference reference;
  const auto before_launch = [&] {
    setup.emplace(prepare(experiment, which));
    if (leads && !experiment.derived.certificates_alone) make_checkpoint_folder(experiment.training.checkpoint);
    if (leads) pulse.enter("compile");
    plan = compile(*setup, which.strategy.choice, which.ranks, profile_of(*setup));
    pulse.set_total(total_steps(*setup));
    measurement.promise = std::string(program::name(plan.promise.kind));
    measurement.mesh = program::describe_meshes(plan);
    measurement.microbatches = plan.microbatches;
    if (experiment.measure.verify_steps == 0) {
      measurement.certificate_reason = "measure/verify_steps is 0";
    } else if (leads) {  // the other processes wait, and leave the cores to it
      pulse.enter("reference");
      reference = run_reference(*setup, experiment.measure.verify_steps, pulse, memory);
    }
  };
  std::exception_ptr failed_before;  ///< the launch, in which other processes may already wait
  try {
    before_launch();
  } catch (...) {
    if (!transport.processes) throw;
    failed_before = std::current_exception();
  }

  comm::WorldOptions options;
  // Before the supervisor loses patience, so that the error names rank and operation.
  options.timeout = std::chrono::milliseconds(static_cast<std::int64_t>(experiment.measure.timeout_seconds * 800));
  options.throttle = experiment.devices.throttle;
  const auto on_rank = [&](comm::Communicator& communicator) {
    if (failed_before) std::rethrow_exception(failed_before);
    const int threads = which.threads_per_rank;
    const platform::BoundCores bound = bind_rank(*setup, communicator.rank(), which.ranks, threads);
    const auto device = make_device(*setup, communicator.rank(), threads);
    const auto placed = placed_devices(*setup, *device, communicator);
    const runtime::OwnedChannels channels = open_channels(*setup, *device, communicator, options.timeout);
    if (communicator.rank() == 0) pulse.enter("bind");
    const std::string peculiar =
        complete(plan, *device, channels, transport.processes ? Sharing::own_plan : Sharing::one_plan,
                 wanted_algorithm(experiment.devices), [&pulse] { pulse.enter("bind"); });
    require_fits(plan, experiment.devices, placed, communicator);
    const bool verifies = experiment.measure.verify_steps > 0;
    const bool certified = verifies && has_certificate(*setup, plan, communicator, reference, memory);
    if (verifies && !certified && communicator.rank() == 0) {
      measurement.certificate_reason = reference.missing;
      pulse.skip(experiment.measure.verify_steps);
    }
    if (communicator.rank() == 0) {
      measurement.device_name = placed.empty() ? device->description() : names_of(placed);
      if (experiment.devices.derived.apart) measurement.devices = static_cast<int>(placed.size());
      measurement.devices_shared = any_shared(placed);
      measurement.collectives = describe_collectives(plan);
      measurement.peculiar_kernels = peculiar;
      measurement.sent_bytes_nominal = has_nominal_bytes(plan);
    }
    if (!experiment.derived.certificates_alone) {
      const auto calibrated =
          calibrate(*setup, plan, threads, *device, channels, {}, [&pulse] { pulse.enter("calibrate"); });
      if (communicator.rank() == 0)
        measurement.prediction = prediction_of(*setup, plan, calibrated, measurement.devices);
    }
    CaseOnRank rank(*setup, plan, *device, channels, pulse, measurement);
    if (certified) rank.verify(reference);
    if (experiment.derived.certificates_alone) return;
    rank.begin_training(process_memory, transport.processes);
    rank.measure(trace_file);
    rank.train();
    rank.note_memory(process_memory, transport.processes);
  };
  try {
    transport.launch(which.ranks, options, [&](comm::Communicator& communicator) {
      try {
        on_rank(communicator);
      } catch (...) {
        if (transport.processes) abort_with(communicator, std::current_exception());
        throw;
      }
    });
  } catch (const comm::CommunicationError& error) {
    throw_relayed(error);
  }
  return leads ? measurement : Measurement{};
}

}  // namespace ddlbench::bench
