#include "bench/case/verify.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "bench/case/bound_cores.h"
#include "bench/case/device_options.h"
#include "bench/case/gather.h"
#include "bench/case/memory.h"

namespace ddlbench::bench {
namespace {

using program::MemoryClass;

/// The same batches, the samples within each shuffled: the same sums in another order.
std::vector<std::int64_t> reordered_batches(const std::vector<std::int64_t>& order, const Case& which) {
  const auto batch = static_cast<std::size_t>(which.global_batch);
  std::vector<std::int64_t> result(order.size());
  for (std::size_t first = 0; first < order.size(); first += batch) {
    const std::vector<std::int64_t> permutation =
        workloads::epoch_order(~which.seed, static_cast<std::int64_t>(first / batch), which.global_batch);
    for (std::size_t i = 0; i < batch; ++i) {
      result[first + i] = order[first + static_cast<std::size_t>(permutation[i])];
    }
  }
  return result;
}

void report(std::ostream& out, const char* what, double found, double tolerance) {
  if (!std::isfinite(tolerance)) {
    out << (out.tellp() > 0 ? "; " : "") << what
        << " of the one-rank reference are zero or not finite: nothing is proved";
    return;
  }
  if (found <= tolerance) return;
  out << (out.tellp() > 0 ? "; " : "") << what << " deviate from the one-rank reference by " << found
      << ", more than the tolerance " << tolerance;
}

}  // namespace

runtime::Trace record_trace(Trainer& trainer, const std::vector<std::int64_t>& order, std::int64_t steps,
                            Pulse* pulse) {
  runtime::Trace trace;
  comm::Communicator& communicator = trainer.communicator();
  trainer.initialize();
  trace.initial = runtime::gather(trainer.engine(), MemoryClass::parameters, communicator);
  trainer.begin(runtime::Mode::train, order);
  std::vector<double> losses;
  for (std::int64_t step = 0; step < steps; ++step) {
    losses.push_back(trainer.step(runtime::Mode::train, "verify").value().loss);
    if (step == 0) trace.first_gradients = runtime::gather(trainer.engine(), MemoryClass::gradients, communicator);
    if (pulse != nullptr) pulse->step("verify");
  }
  trainer.engine().drain(runtime::Mode::train);
  trace.losses = sum_over_ranks(communicator, losses);
  trace.final = runtime::gather(trainer.engine(), MemoryClass::parameters, communicator);
  return trace;
}

Reference run_reference(const Setup& setup, std::int64_t steps, Pulse& pulse) {
  const int threads = std::min(setup.which.ranks * setup.which.threads_per_rank, static_cast<int>(setup.cores.size()));
  const std::vector<std::int64_t> order = training_order(setup, steps);
  program::Plan plan = compile(setup, {"single", {}}, 1);
  Reference reference;
  comm::find_transport("threads").launch(1, {}, [&](comm::Communicator& communicator) {
    const BoundCores bound = bind_rank(setup, 0, 1, threads);
    const auto device = make_device(setup, 0, threads);
    complete(plan, *device, communicator, Sharing::one_plan);
    // The limit of the configuration is for the ranks that are compared; what is, is for all.
    const MemoryLimits limits = setup.experiment.devices.apart
                                    ? MemoryLimits{{}, device->memory_bytes(), device->description()}
                                    : memory_limits({});
    reference.missing = why_too_large(peak_bytes_of(plan), {0}, limits);
    if (!reference.missing.empty()) {
      reference.missing = "no one-rank reference: " + reference.missing;
      return;
    }
    Trainer trainer(setup, plan, *device, communicator);
    reference.trace = record_trace(trainer, order, steps, &pulse);
    reference.reordered = record_trace(trainer, reordered_batches(order, setup.which), steps, &pulse);
  });
  return reference;
}

void note_certificate(const runtime::Certificate& certificate, Measurement& measurement) {
  measurement.certificate_loss = certificate.measured.loss;
  measurement.certificate_gradient = certificate.measured.gradient;
  measurement.certificate_update = certificate.measured.update;
  measurement.noise_loss = certificate.noise.loss;
  measurement.noise_gradient = certificate.noise.gradient;
  measurement.noise_update = certificate.noise.update;
  measurement.tolerance_loss = certificate.loss_tolerance;
  measurement.tolerance_gradient = certificate.gradient_tolerance;
  measurement.tolerance_update = certificate.update_tolerance;
  measurement.certified = certificate.holds();
  if (measurement.certified) return;
  std::ostringstream reason;
  report(reason, "the losses", certificate.measured.loss, certificate.loss_tolerance);
  report(reason, "the first gradients", certificate.measured.gradient, certificate.gradient_tolerance);
  report(reason, "the weights' updates", certificate.measured.update, certificate.update_tolerance);
  measurement.certificate_reason = reason.str();
}

}  // namespace ddlbench::bench
