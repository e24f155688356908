#pragma once

#include <cstdint>
#include <vector>

#include "bench/case/verify.h"
#include "program/passes.h"
#include "runtime/engine.h"
#include "small_case.h"

namespace ddlbench::bench {

/// Trains the first steps of a case on `plan`, which may be wrong: it is completed, but not checked. Returns the
/// certificate against `reference`.
inline runtime::Certificate unchecked_certificate(const Setup& setup, program::Plan& plan,
                                                  const std::vector<workloads::SampleDraw>& order, std::int64_t steps,
                                                  const Reference& reference, std::int64_t first = 0) {
  runtime::Certificate certificate;
  comm::find_transport("threads").launch(setup.which.ranks, {}, [&](comm::Communicator& communicator) {
    const auto device = kernels::make_device("reference", {1});
    const program::CostTable costs = runtime::workspace_costs(plan, *device, communicator);
    comm::run(communicator.barrier());
    if (communicator.rank() == 0) program::complete(plan, costs);
    comm::run(communicator.barrier());
    Trainer trainer(setup, plan, *device, communicator);
    const runtime::Trace trace = record_trace(trainer, order, steps, nullptr, "verify", Weights::initial, first);
    if (communicator.rank() == 0) certificate = runtime::certify(trace, reference.trace, reference.noise);
  });
  return certificate;
}

}  // namespace ddlbench::bench
