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

/// What a training left behind, whole.
struct Outcome {
  std::vector<double> losses;
  std::vector<double> squared_norms;  ///< of the gradients, where the optimizer asks for them
  runtime::Tensors gradients;         ///< of the first step
  runtime::Tensors parameters;
  runtime::Tensors statistics;
  double evaluation = 0;                   ///< loss of an evaluation afterwards
  std::vector<graph::LossScaler> scalers;  ///< after each step, where the optimizer skips what overflows: these two
  std::vector<runtime::Tensors> kept;      ///< parameters and states of the optimizer after each step
};

/// A gradient that becomes infinite on one rank, before it is summed over ranks.
struct Overflow {
  int step = -1;
  int rank = 0;
};

std::unique_ptr<kernels::Device> reference_device();
/// Computes by the kernels of GPUs, run on the host, what there are such of, and the rest as the reference does.
std::unique_ptr<kernels::Device> device_of_own_kernels();

struct Training {
  graph::Graph model;
  graph::Optimizer optimizer;
  std::int64_t batch = 8;
  int steps = 3;
  std::int64_t channel_block = 1;
  Overflow overflow = {};
  float mean = 0;  ///< of the values of samples
  /// Where it is there, values are bytes that it makes numbers of; which ones the model's input is, its type says.
  std::optional<graph::Normalisation> normalisation = {};
  std::unique_ptr<kernels::Device> (*device)() = reference_device;
};

/// Value `i` of a sample. Step s trains with the samples from s times the batch on.
float value_of(const Training& training, std::int64_t sample, std::int64_t i);

/// Trains, ranks being threads. Every sample's values and label follow from its index and the
/// step alone. Throws Unsupported.
Outcome outcome_of(const Training& training, const strategies::StrategySpec& spec);

/// What of `found` is not as `whole` has it, within a relative tolerance; `words` say whose it is.
std::string difference(const Outcome& found, const Outcome& whole, double tolerance, const std::string& words);

}  // namespace ddlbench::test
