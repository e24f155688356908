#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <vector>

#include "bench/case/checkpoints.h"
#include "bench/config/experiment.h"
#include "collectives/algorithm.h"
#include "comm/communicator.h"
#include "graph/graph.h"
#include "graph/ops/optimizer.h"
#include "kernels/device.h"
#include "program/cost_table.h"
#include "program/plan.h"
#include "runtime/channels.h"
#include "workloads/dataset.h"

namespace ddlbench::bench {

/// The data set of an experiment.
struct Data {
  std::shared_ptr<const workloads::Dataset> training;
  std::shared_ptr<const workloads::Dataset> validation;
};

/// Throws BadData, InputError. Where corrupt samples are left out, each split is read once, by all allowed cores, and
/// what was left out is told to `told`.
Data open_data(const Experiment& experiment, std::ostream* told = nullptr);

/// What all ranks of a case share, and its reference too: data, model and optimizer.
struct Setup {
  const Experiment& experiment;
  const Case& which;
  std::shared_ptr<const workloads::Dataset> training;
  std::shared_ptr<const workloads::Dataset> validation;
  graph::Graph model;  ///< forward, at the global batch; of bytes where devices normalise these (graph/byte_inputs.h)
  graph::Optimizer optimizer;
  std::vector<int> cores;  ///< that this process may use
  graph::FileNames file_names;
  Start start;

  /// Full batches of an epoch; the last partial one is left out.
  std::int64_t batches() const { return training->size() / which.global_batch; }
};

/// Builds the model for the data. Throws InputError, and BadData where what is to be loaded does not fit the model.
Setup prepare(const Experiment& experiment, const Case& which, Data data);
/// The same, with the data opened for it alone. Throws BadData, InputError.
Setup prepare(const Experiment& experiment, const Case& which);

/// The plan of a strategy for this model, not yet completed. Stages are balanced by `profile` where it knows all of
/// their times, else by FLOPs. Throws Unsupported.
program::Plan compile(const Setup& setup, const Choice& strategy, int ranks, const program::CostTable& profile = {});

/// Whether all ranks of a launch see one plan, or each its own, compiled alike.
enum class Sharing : std::uint8_t { one_plan, own_plan };

/// Chooses the collectives' algorithms (nothing: as they are timed best) and the kernels (choose_kernels), plans the
/// memory for the ranks' devices and transport, and proves the plan sound. `progress` is called by rank 0 while kernels
/// are chosen. Returns what choose_kernels does. Collective.
std::string complete(program::Plan& plan, kernels::Device& device, const runtime::Channels& channels, Sharing sharing,
                     std::optional<collectives::Algorithm> wanted = collectives::Algorithm(),
                     const std::function<void()>& progress = {});

/// The samples of the first `steps` training steps: the full batches of the first epoch that is trained, of the next, …
/// one after another.
std::vector<workloads::SampleDraw> training_order(const Setup& setup, std::int64_t steps);

/// The samples of the full batches of one epoch.
std::vector<workloads::SampleDraw> training_epoch(const Setup& setup, std::int64_t epoch);

}  // namespace ddlbench::bench
