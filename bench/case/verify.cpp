#include "bench/case/verify.h"

#include <fmt/core.h>
#include <algorithm>
#include <iostream>
#include <optional>

#include "bench/case/certificate_memory.h"
#include "bench/case/device_options.h"
#include "bench/case/gather.h"
#include "bench/case/memory.h"
#include "graph/ops/batch_norm.h"
#include "graph/random.h"
#include "platform/bound_cores.h"
#include "runtime/step_gradients.h"

namespace ddlbench::bench {
namespace {

using program::MemoryClass;

/// The maximum, in units in the last place: about the square root of the number of products in a sum of some ten.
constexpr int largest_nudge = 4;

float nudged(float value, graph::DType dtype, std::uint32_t bits) {
  const int units = static_cast<int>(bits >> 1) % (largest_nudge + 1) * (bits % 2 == 0 ? 1 : -1);
  if (dtype == graph::DType::f32) return value + value * static_cast<float>(units) * 0x1p-23F;
  return value + value * static_cast<float>(units % 2) * (dtype == graph::DType::bf16 ? 0x1p-8F : 0x1p-11F);
}

}  // namespace

std::vector<workloads::SampleDraw> reordered_batches(const std::vector<workloads::SampleDraw>& order,
                                                     std::int64_t batch, std::int64_t group, std::uint64_t seed) {
  std::vector<workloads::SampleDraw> result;
  for (std::int64_t first = 0; first < static_cast<std::int64_t>(order.size()); first += batch) {
    const std::int64_t round = first / batch;
    const auto groups = workloads::epoch_order(~seed, round, batch / group);
    const auto within = workloads::epoch_order(~seed, round, group);
    for (const std::int64_t g : groups)
      for (const std::int64_t i : within) result.push_back(order[static_cast<std::size_t>(first + g * group + i)]);
  }
  return result;
}

void nudge_weights(runtime::Engine& engine, int rank, std::uint64_t seed) {
  const std::uint64_t key = graph::random_key(seed, graph::Purpose::initialization, "rounding of weights");
  std::uint64_t drawn = 0;
  for (const program::HeldState& held : program::held_state(engine.plan(), rank)) {
    if (held.shard->memory_class != MemoryClass::parameters) continue;
    std::vector<float> values(static_cast<std::size_t>(held.elements.size()));
    engine.read(held, values.data());
    for (float& value : values) value = nudged(value, held.shard->whole.dtype, graph::philox(key, 0, drawn++).v[0]);
    engine.write(held, values.data());
  }
}

runtime::Tensors weights_of(const runtime::Engine& engine, comm::Communicator& communicator) {
  runtime::Tensors weights = runtime::gather(engine, MemoryClass::parameters, communicator);
  const runtime::Gatherer states(engine, {MemoryClass::optimizer_state}, communicator);
  for (const auto& [name, type] : states.tensors()) {
    const std::optional<std::string> parameter = program::parameter_of_master(name);
    if (!parameter) continue;
    std::vector<float> whole = states.collect(name);
    if (communicator.rank() == 0) weights[*parameter] = std::move(whole);
  }
  return weights;
}

bool has_updated(const runtime::Engine& engine) {
  const std::optional<graph::LossScaler> scaler = engine.scaler();
  return !scaler || scaler->updates > 0;
}

runtime::Trace record_trace(Trainer& trainer, const std::vector<workloads::SampleDraw>& order, std::int64_t steps,
                            Heartbeat* heartbeat, const std::string& phase, Weights weights, std::int64_t first) {
  runtime::Trace trace;
  comm::Communicator& communicator = trainer.communicator();
  trainer.initialize();
  trainer.set_steps(trainer.steps() + first);
  if (weights == Weights::nudged) nudge_weights(trainer.engine(), trainer.rank(), trainer.setup().which.seed);
  trace.initial = weights_of(trainer.engine(), communicator);
  trace.initial_statistics = runtime::gather(trainer.engine(), MemoryClass::statistics, communicator);
  trainer.begin(runtime::Mode::train, order);
  std::vector<double> losses;
  std::optional<runtime::StepGradients> gradients(std::in_place, trainer.engine(), communicator);
  for (std::int64_t step = 0; step < steps; ++step) {
    losses.push_back(trainer.step(runtime::Mode::train, "verify").value().loss);
    if (gradients && has_updated(trainer.engine())) {
      trainer.engine().drain(runtime::Mode::train);  // a plan may leave sums to the next step
      trace.first_gradients = gradients->take();
      gradients.reset();
    }
    if (heartbeat != nullptr) heartbeat->step(phase);
  }
  trainer.engine().drain(runtime::Mode::train);
  trace.losses = sum_over_ranks(communicator, losses);
  trace.final = weights_of(trainer.engine(), communicator);
  trace.final_statistics = runtime::gather(trainer.engine(), MemoryClass::statistics, communicator);
  return trace;
}

std::string on_one_rank(const Setup& setup, program::Plan plan, const UseOnOneRank& use, const OneRank& how) {
  const int threads = std::min(setup.which.ranks * setup.which.threads_per_rank, static_cast<int>(setup.cores.size()));
  std::string missing;
  comm::find_transport("threads").launch(1, {}, [&](comm::Communicator& communicator) {
    const platform::BoundCores bound = bind_rank(setup, 0, 1, threads);
    const auto device = make_device(setup, 0, threads);
    complete(plan, *device, communicator, Sharing::one_plan, {}, how.progress);
    // The limit in the configuration applies to the ranks under comparison; what the machine has applies to all runs.
    if (setup.experiment.devices.derived.is_accelerator) {
      missing = why_too_large(peak_bytes_of(plan), {0}, {{}, device->memory_bytes(), device->description()});
      if (!missing.empty()) missing = "no one-rank run: " + missing;
    }
    if (missing.empty()) {
      const std::int64_t bytes = host_bytes_of_rank(setup, plan, 0) + how.extra_bytes;
      missing = platform::why_not_enough(bytes, bytes, how.memory());
    }
    if (missing.empty()) use(plan, *device, communicator);
  });
  return missing;
}

std::string on_one_rank(const Setup& setup, const std::function<void(Trainer&)>& use, const OneRank& how) {
  const auto with_trainer = [&](const program::Plan& plan, kernels::Device& device, comm::Communicator& communicator) {
    Trainer trainer(setup, plan, device, communicator);
    use(trainer);
  };
  return on_one_rank(setup, compile(setup, how.single, 1), with_trainer, how);
}

Reference run_reference(const Setup& setup, std::int64_t steps, Heartbeat& heartbeat,
                        const platform::MemoryProbe& memory) {
  const std::string& file = setup.which.reference_file;
  const std::string key = fmt::format("{} {} {}", setup.which.contract_id, steps, setup.experiment.devices.kind);
  const ModelBytes model = bytes_of(setup.model);
  if (!file.empty() && platform::why_not_enough(model.trace(), model.trace(), memory()).empty()) {
    if (std::optional<Reference> kept = load_reference(file, key)) {
      heartbeat.skip(2 * steps);
      return *std::move(kept);
    }
  }
  const std::vector<workloads::SampleDraw> order = training_order(setup, steps);
  Reference reference;
  const auto run_twice = [&](Trainer& trainer) {
    reference.trace = record_trace(trainer, order, steps, &heartbeat, "reference");
    const auto other_order =
        reordered_batches(order, setup.which.global_batch, graph::samples_per_statistic(setup.model), setup.which.seed);
    const runtime::Trace reordered =
        record_trace(trainer, other_order, steps, &heartbeat, "reference", Weights::nudged);
    reference.noise = runtime::noise(reordered, reference.trace);
  };
  const std::int64_t beside = 2 * model.trace() + model.largest + library_overhead_bytes;
  const auto progress = [&] { heartbeat.enter("reference"); };
  reference.missing = on_one_rank(setup, run_twice, {.extra_bytes = beside, .memory = memory, .progress = progress});
  if (!reference.missing.empty()) {
    heartbeat.skip(2 * steps);
  } else if (!file.empty()) {
    const std::string why = store_reference(file, key, reference);
    if (!why.empty()) std::clog << "the reference is not kept for other cases: " << why << std::endl;
  }
  return reference;
}

}  // namespace ddlbench::bench
