#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "runtime/engine.h"

namespace ddlbench::test {

/// Runs `body` as each of the plan's ranks over threads, each with a reference device of its own. Catch's
/// assertions belong outside: they are not made for threads.
using Body = std::function<void(runtime::Engine&, comm::Communicator&)>;
void run_ranks(const program::Plan& plan, const Body& body);

/// The same with devices, made by each rank, and a time-out of one's own.
using MakeDevice = std::function<std::unique_ptr<kernels::Device>(int rank)>;
void run_ranks(const program::Plan& plan, const MakeDevice& make_device, std::chrono::milliseconds timeout,
               const Body& body);

/// A time-out for those who are not expected to need one.
inline constexpr std::chrono::milliseconds patient{10000};

/// The plan with order, memory and workspaces as this test's device and transport want them.
program::Plan completed(program::Plan plan);

/// The part of sample batch `step` that the rank's slots of `mode` take: sample s of a batch has values
/// and a label that depend on (step, s) alone.
void load_batch(runtime::Engine& engine, runtime::Mode mode, std::int64_t step, int rank);

graph::Scalars scalars_of(std::int64_t step);

/// Loads and trains steps [0, steps), returning this rank's share of the loss of each.
std::vector<double> train(runtime::Engine& engine, int rank, int steps);

}  // namespace ddlbench::test
