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
#include "runtime/collectives.h"
#include "workloads/dataset.h"

namespace ddlbench::bench {

/// The data set of an experiment.
struct Data {
  std::shared_ptr<const workloads::Dataset> training;
  std::shared_ptr<const workloads::Dataset> validation;
};

/// Opens the data set. Throws BadData or InputError. Where corrupt samples are to be skipped, reads each split once
/// with all allowed cores, and reports what was skipped to `told`.
Data open_data(const Experiment& experiment, std::ostream* report = nullptr);

/// What all ranks of a case share with each other and with the reference: data, model and optimizer.
struct Setup {
  const Experiment& experiment;
  const Case& which;
  std::shared_ptr<const workloads::Dataset> training;
  std::shared_ptr<const workloads::Dataset> validation;
  graph::Graph model;  ///< forward only, at the global batch; takes bytes where devices normalise images
                       ///< (graph/byte_inputs.h)
  graph::Optimizer optimizer;
  std::vector<int> cores;  ///< the cores that this process may use
  graph::FileNames file_names;
  Start start;                   ///< of the certificate and of the measured steps, by training/checkpoint
  std::optional<Start> resumed;  ///< of the training, if it continues from a checkpoint of the same case

  /// Returns where the training starts.
  const Start& training_start() const { return resumed ? *resumed : start; }
  /// Returns the number of training steps from there to the last epoch's end.
  std::int64_t steps_to_train() const { return experiment.training.epochs * batches() - training_start().steps; }
  /// Returns whether the training validates after this step, within an epoch.
  bool validates_within_epoch(std::int64_t step) const;
  /// Returns the number of full batches in an epoch; a last partial batch is dropped.
  std::int64_t batches() const { return training->size() / which.global_batch; }
  /// Returns the number of batches of a validation.
  std::int64_t validation_batches() const;
  /// Returns the number of validations of a training that does not stop early.
  std::int64_t validations() const;
};

/// Builds the model for the data. Throws InputError, and BadData if the checkpoint to load does not fit the model.
Setup prepare(const Experiment& experiment, const Case& which, Data data);
/// Does the same and opens the data itself. Throws BadData or InputError.
Setup prepare(const Experiment& experiment, const Case& which);

/// Compiles a strategy's plan for this model; it is not yet completed. Stages are balanced by `profile` if it has all
/// of their times, else by FLOPs (unless `balance` says otherwise). Throws Unsupported.
program::Plan compile(const Setup& setup, const Choice& strategy, int ranks, const program::CostTable& profile = {});
/// Does the same for a part of the global batch.
program::Plan compile_part(const Setup& setup, const Choice& strategy, std::int64_t samples);

/// Whether all ranks of a launch share one plan object, or each has an identical one of its own.
enum class Sharing : std::uint8_t { one_plan, own_plan };

/// Which algorithms the collectives get: those of `choices` if there are any, else `algorithm`, or if that is nothing,
/// the fastest by timing.
struct CollectivesWanted {
  std::optional<collectives::Algorithm> algorithm = collectives::Algorithm();
  std::vector<runtime::CollectiveChoice> choices = {};
};

/// What was chosen when a plan was completed.
struct Chosen {
  std::vector<runtime::CollectiveChoice> collectives;
  std::string peculiar_kernels;  ///< see choose_kernels()
};

/// Completes the plan: chooses the collectives' algorithms and the kernels (choose_kernels), plans the memory for the
/// ranks' devices and transport, and checks that the plan is sound. Rank 0 calls `progress` while kernels are being
/// chosen. Collective.
Chosen complete(program::Plan& plan, kernels::Device& device, const runtime::Channels& channels, Sharing sharing,
                const CollectivesWanted& wanted = {}, const std::function<void()>& progress = {});

/// Returns the samples of the first `steps` training steps: the full batches of the first epoch that is not complete
/// at the start, then of the next, and so on.
std::vector<workloads::SampleDraw> training_order(const Setup& setup, std::int64_t steps);

/// Returns the samples of the full batches of one epoch, without the first `done` of them.
std::vector<workloads::SampleDraw> training_epoch(const Setup& setup, std::int64_t epoch, std::int64_t done = 0);

}  // namespace ddlbench::bench
