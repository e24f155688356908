#include "bench/case/case_on_rank.h"

#include <fmt/core.h>
#include <iostream>
#include <string>

#include "base/error.h"
#include "bench/case/certificate_memory.h"
#include "bench/case/channels.h"
#include "bench/case/collectives.h"
#include "bench/case/device_options.h"
#include "bench/case/gather.h"
#include "bench/case/memory.h"
#include "bench/case/note_certificate.h"
#include "bench/case/note_results.h"
#include "bench/case/predict.h"
#include "bench/case/rank_accounts.h"
#include "bench/case/trace_writer.h"
#include "bench/case/train.h"
#include "bench/case/verify.h"

namespace ddlbench::bench {
namespace {

graph::DType type_of_parameters(const graph::Graph& model) {
  return model.tensors[static_cast<std::size_t>(model.with_role(graph::Role::parameter).front())].type.dtype;
}

}  // namespace

CaseOnRank::CaseOnRank(CaseState& state, comm::Communicator& communicator, std::chrono::milliseconds timeout)
    : state_(state),
      setup_(state.setup.value()),
      measurement_(state.measurement),
      communicator_(communicator),
      heartbeat_(communicator.rank() == 0 ? &state.heartbeat : nullptr),
      bound_(bind_rank(setup_, communicator.rank(), setup_.which.ranks, setup_.which.threads_per_rank)),
      device_(make_device(setup_, communicator.rank(), setup_.which.threads_per_rank)),
      placed_(placed_devices(setup_, *device_, communicator)),
      channels_(open_channels(setup_, *device_, communicator, timeout)) {}

void CaseOnRank::run() {
  const Experiment& experiment = setup_.experiment;
  const bool times_steps = !experiment.derived.certificates_only;
  bind();
  if (setup_.which.visit_steps > 0) {
    make_trainer();
    measure();
    return;
  }
  const bool certifies = can_certify();
  if (times_steps && experiment.measure.predict) predict();
  make_trainer();
  if (certifies) certify();
  if (!times_steps) return;
  if (experiment.trains()) state_.process_memory.begin_training(*trainer_);
  measure();
  if (!experiment.trains()) return;
  train();
  note_memory();
}

void CaseOnRank::bind() {
  enter("bind");
  const Devices& devices = setup_.experiment.devices;
  const Chosen chosen = complete(
      state_.plan, *device_, channels_, devices.ranks_are_processes() ? Sharing::own_plan : Sharing::one_plan,
      {wanted_algorithm(devices), choices_from_text(setup_.which.collective_choices)}, [this] { enter("bind"); });
  require_fits(state_.plan, devices, placed_, communicator_);
  if (heartbeat_ == nullptr) return;
  measurement_.device_name = placed_.empty() ? device_->description() : names_of(placed_);
  if (devices.derived.is_accelerator) measurement_.devices = static_cast<int>(placed_.size());
  measurement_.devices_shared = any_shared(placed_);
  measurement_.collectives = describe_collectives(state_.plan);
  measurement_.collective_choices = choices_text(chosen.collectives);
  measurement_.peculiar_kernels = chosen.peculiar_kernels;
  measurement_.sent_bytes_nominal = has_nominal_bytes(state_.plan);
}

bool CaseOnRank::can_certify() {
  const std::int64_t steps = state_.certified_steps.count;
  if (steps == 0) return false;
  if (has_certificate(setup_, state_.plan, communicator_, state_.reference, state_.available_memory)) return true;
  if (heartbeat_ == nullptr) return false;
  measurement_.certificate_reason = state_.reference.missing;
  heartbeat_->skip(steps);
  return false;
}

void CaseOnRank::make_trainer() {
  const double slowdown = setup_.experiment.devices.throttle.slowdown_of(communicator_.rank());
  if (slowdown > 1) slowed_.emplace(*device_, slowdown);
  trainer_.emplace(setup_, state_.plan, slowed_ ? static_cast<kernels::Device&>(*slowed_) : *device_, channels_);
}

void CaseOnRank::predict() {
  const int threads = setup_.which.threads_per_rank;
  const CalibratedCase calibrated =
      calibrate(setup_, state_.plan, threads, *device_, channels_, {}, [this] { enter("calibrate"); });
  if (heartbeat_ == nullptr) return;
  // On GPUs, ranks compete for devices rather than for cores.
  const std::optional<int> gpus = measurement_.devices;
  const int cores = gpus.value_or(static_cast<int>(setup_.cores.size()));
  try {
    measurement_.prediction = to_record(state_.plan, simulate(state_.plan, calibrated, gpus ? 1 : threads, cores));
  } catch (const InputError& error) {
    std::clog << "no prediction: " << error.what() << std::endl;
  }
}

void CaseOnRank::certify() {
  enter("verify");  // what follows can wait for another rank
  const CertifiedSteps& steps = state_.certified_steps;
  const runtime::Trace trace = record_trace(*trainer_, training_order(setup_, steps.count), steps.count, heartbeat_,
                                            "verify", Weights::initial, steps.first);
  if (heartbeat_ == nullptr) return;
  Reference& reference = state_.reference;
  note_certificate(runtime::certify(trace, reference.trace, reference.noise, type_of_parameters(setup_.model)),
                   !reference.trace.final_statistics.empty(), measurement_);
  measurement_.certificate_steps = steps.count;
  reference.trace = {};
}

void CaseOnRank::measure() {
  const Counted counted = run_measured_steps(*trainer_, heartbeat_);
  require_as_planned(*trainer_, counted);
  const auto ranks = gather_steps(communicator_, counted.steps);
  const std::vector<StepCounts> counts = gather_counts(communicator_, counted);
  if (heartbeat_ == nullptr) return;
  const MeasuredCase measured{step_times(state_.plan, ranks, setup_.which.seed), counts, accounts_of(state_.plan)};
  note_steps(setup_, state_.plan, measured, measurement_);
  if (setup_.experiment.devices.derived.is_accelerator) measurement_.launch_mode = trainer_->engine().launch_mode();
  for (const RankRecord& record : rank_records(*trainer_, measured)) heartbeat_->progress().rank(record);
  if (!state_.trace_file.empty()) write_trace(ranks);
}

void CaseOnRank::train() {
  if (heartbeat_ != nullptr) expect_training();
  const TrainingResult result = train_epochs(*trainer_, heartbeat_);
  if (heartbeat_ != nullptr) note_training(setup_, result, measurement_);
}

void CaseOnRank::note_memory() {
  const HostMemoryRecord record = state_.process_memory.gather(*trainer_);
  if (heartbeat_ != nullptr) measurement_.host_memory = record;
}

void CaseOnRank::enter(const char* phase) {
  if (heartbeat_ != nullptr) heartbeat_->enter(phase);
}

void CaseOnRank::write_trace(const std::vector<std::vector<MeasuredStep>>& ranks) {
  std::vector<program::StepTimeline> first;
  for (const std::vector<MeasuredStep>& rank : ranks) first.push_back(rank.front().timeline);
  try {
    write_trace_file(state_.trace_file, state_.plan, first);
  } catch (const InputError& error) {  // the measurement is valid without the trace
    measurement_.trace_failure = error.what();
    std::cerr << std::string("the step's trace was not written: ") + error.what() + "\n" << std::flush;
  }
}

void CaseOnRank::expect_training() {
  heartbeat_->enter(fmt::format("train epoch {}", setup_.training_start().epochs + 1));
  heartbeat_->expect("train", static_cast<double>(setup_.steps_to_train()) * measurement_.step_seconds);
}

}  // namespace ddlbench::bench
