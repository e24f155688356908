#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/option.h"

namespace ddlbench::workloads {

/// What a model sees of its data set, for one sample (no batch dimension).
struct SampleShape {
  graph::TensorType sample;  ///< f32[1x28x28]; a text: i32[sequence]
  graph::Shape label;        ///< of i32; {} for one label a sample, {sequence} for a text
  int classes = 10;

  /// Labels stand at every position: the loss then has a perplexity.
  bool is_text() const { return !label.empty(); }
};

/// A model that can be named in a config. `build` gives the forward graph at the given batch, ending in
/// the loss and the count of correct labels (both role metric, in this order); parameter names are those
/// that torchvision or Hugging Face use where they have the model. Throws InputError where the sample does not fit.
struct ModelKind {
  std::string name;
  std::string help;
  std::vector<graph::Option> options;
  graph::Graph (*build)(const SampleShape& shape, std::int64_t batch, const graph::OptionValues& options);
};

const std::vector<ModelKind>& model_kinds();
const ModelKind& find_model(const std::string& name);  ///< throws InputError naming the nearest

}  // namespace ddlbench::workloads
