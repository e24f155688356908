#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "runtime/engine.h"

namespace ddlbench::test {

/// The body of a rank. run_ranks() runs it for each rank of the plan on a thread with its own engine and reference
/// device. Make assertions of Catch outside where several ranks run, because they are not thread-safe.
using Body = std::function<void(runtime::Engine&, comm::Communicator&)>;
void run_ranks(const program::Plan& plan, const Body& body);

using MakeDevice = std::function<std::unique_ptr<kernels::Device>(int rank)>;
inline MakeDevice reference() {
  return [](int) { return kernels::make_device("reference", {}); };
}

/// As above, with devices made by each rank and the given timeout.
void run_ranks(const program::Plan& plan, const MakeDevice& make_device, std::chrono::milliseconds timeout,
               const Body& body);

/// The timeout for tests that do not expect to reach it.
inline constexpr std::chrono::milliseconds test_timeout{10000};

/// Returns the plan completed with the order, memory and workspaces that the tests' device and transport need.
program::Plan completed(program::Plan plan);

/// Loads this rank's part of batch `step` into the slots of `mode`. The values and the label of sample s depend only on
/// (step, s).
void load_batch(runtime::Engine& engine, runtime::Mode mode, std::int64_t step, int rank);

graph::Scalars scalars_of(std::int64_t step);

/// Trains steps [0, steps) and returns this rank's share of the loss of each.
std::vector<double> train(runtime::Engine& engine, int rank, int steps);

}  // namespace ddlbench::test
