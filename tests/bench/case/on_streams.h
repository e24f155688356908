#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "bench/case/train.h"
#include "bench/case/verify.h"
#include "program/passes.h"
#include "runtime/queue_channels.h"
#include "small_case.h"

/// Runs the ranks of a small case on a test's own devices, such as devices of queues.
namespace ddlbench::bench {

using MakeDevice = std::function<std::unique_ptr<kernels::Device>()>;

/// Calls body(trainer) on each rank; plans of asynchronous devices get two versions of inputs.
inline void on_ranks(const SmallCase& small, const Setup& setup, const MakeDevice& make_device,
                     const std::function<void(Trainer&)>& body) {
  program::Plan plan = compile(setup, small.which.strategy.choice, small.which.ranks);
  if (make_device()->asynchronous()) program::double_buffer_inputs(plan);
  comm::WorldOptions options;
  options.timeout = std::chrono::seconds(20);
  comm::find_transport("threads").launch(small.which.ranks, options, [&](comm::Communicator& communicator) {
    const auto device = make_device();
    const test::TestChannels channels(*device, communicator);
    complete(plan, *device, channels, Sharing::one_plan);
    Trainer trainer(setup, plan, *device, channels);
    body(trainer);
  });
}

inline MakeDevice reference() {
  return [] { return kernels::make_device("reference", {}); };
}

inline MakeDevice queues(unsigned seed, bool on_stream,
                         std::unique_ptr<kernels::Device> (*make_kernels)() = test::QueueOptions().make_kernels) {
  test::QueueOptions options;
  options.make_kernels = make_kernels;
  options.seed = seed;
  options.on_stream = on_stream;
  options.records = on_stream;
  return [options] { return std::make_unique<test::QueueDevice>(options); };
}

/// Returns the trace of the first steps of a case on such devices.
inline runtime::Trace trace_on(const SmallCase& small, const Setup& setup, const MakeDevice& make_device,
                               std::int64_t steps) {
  runtime::Trace trace;
  on_ranks(small, setup, make_device, [&](Trainer& trainer) {
    runtime::Trace own = record_trace(trainer, training_order(setup, steps), steps, nullptr);
    if (trainer.rank() == 0) trace = std::move(own);
  });
  return trace;
}

/// Returns the metrics of its epochs on rank 0.
inline std::vector<double> epochs_on(const SmallCase& small, const Setup& setup, const MakeDevice& make_device) {
  std::vector<double> numbers;
  on_ranks(small, setup, make_device, [&](Trainer& trainer) {
    const std::vector<EpochRecord> epochs = train_epochs(trainer, nullptr).epochs;
    if (trainer.rank() != 0) return;
    for (const EpochRecord& e : epochs)
      for (const double number : {e.train_loss, e.validation_loss, e.accuracy_ratio}) numbers.push_back(number);
  });
  return numbers;
}

}  // namespace ddlbench::bench
