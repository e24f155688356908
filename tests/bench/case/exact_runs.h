#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/normalisation.h"
#include "graph/ops/optimizer.h"
#include "kernels/device.h"
#include "runtime/state.h"
#include "strategies/compile.h"

namespace ddlbench::test {

/// The results of a training, gathered from all ranks.
struct Outcome {
  std::vector<double> losses;
  std::vector<double> squared_norms;  ///< of the gradients, if the optimizer computes them
  runtime::Tensors gradients;         ///< of the first step
  runtime::Tensors parameters;
  runtime::Tensors statistics;
  double evaluation = 0;                   ///< loss of an evaluation after the training
  std::vector<graph::LossScaler> scalers;  ///< after each step, if the optimizer skips overflows; likewise `kept`
  std::vector<runtime::Tensors> kept;      ///< parameters and optimizer states after each step
};

/// Makes a gradient infinite on one rank, before it is reduced over ranks.
struct Overflow {
  int step = -1;
  int rank = 0;
};

std::unique_ptr<kernels::Device> reference_device();
/// Returns a device that computes with the GPU kernels, run on the host, where they exist, and like the reference
/// elsewhere.
std::unique_ptr<kernels::Device> device_of_own_kernels();

struct Training {
  graph::Graph model;
  graph::Optimizer optimizer;
  std::int64_t batch = 8;
  int steps = 3;
  std::int64_t channel_block = 1;
  Overflow overflow = {};
  float mean = 0;  ///< of the samples' values
  /// If set, samples are bytes, which it normalises; the type of the model's input says where that happens.
  std::optional<graph::Normalisation> normalisation = {};
  std::unique_ptr<kernels::Device> (*device)() = reference_device;
};

/// Returns value `i` of a sample. Step s trains on the samples from s times the batch size on.
float value_of(const Training& training, std::int64_t sample, std::int64_t i);

/// Trains with ranks as threads and returns the results. Every sample's values and label depend only on its index and
/// the step. Throws Unsupported.
Outcome outcome_of(const Training& training, const strategies::StrategySpec& spec);

/// Returns how `found` differs from `whole` beyond a relative tolerance; empty if it does not. `words` name the
/// training.
std::string difference(const Outcome& found, const Outcome& whole, double tolerance, const std::string& words);

}  // namespace ddlbench::test
