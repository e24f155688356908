#pragma once

#include <string>
#include <vector>

#include "base/option.h"
#include "graph/file_layout.h"
#include "graph/graph.h"

namespace ddlbench::workloads {

/// What a model sees of its data set, for one sample (no batch dimension).
struct SampleShape {
  graph::TensorType sample;  ///< f32[1x28x28]; a text: i32[sequence]
  graph::Shape label;        ///< of i32; {} for one label a sample, {sequence} for a text
  int classes = 10;

  /// Labels stand at every position: the loss then has a perplexity.
  bool is_text() const { return !label.empty(); }
};

/// What is trained for.
struct LossChoice {
  enum class Kind : std::uint8_t { cross_entropy, mean_squared_error };
  Kind kind = Kind::cross_entropy;
  float label_smoothing = 0;  ///< of cross-entropy
};

struct ModelRequest {
  SampleShape shape;
  std::int64_t batch = 0;
  OptionValues options;  ///< of the kind, whole (with_defaults)
  LossChoice loss = {};
};

/// A model that can be named in a config. `build` gives the forward graph, ending in its metrics (the loss comes first,
/// then the count of correct labels); parameter names are those that torchvision or Hugging Face use where they have
/// the model. Throws InputError where the sample does not fit.
struct ModelKind {
  std::string name;
  std::string help;
  std::vector<Option> options;
  graph::Graph (*build)(const ModelRequest& request);
  /// The sample that the model is made for, where no data set says: what tables of the model alone are about.
  SampleShape (*natural)(const OptionValues& options);
  /// What a file that the options name says: it stands for the options in contracts. Null where they say all.
  std::string (*definition)(const OptionValues& options) = nullptr;
  /// How others' files of weights call and store the parameters of what `build` gave; null: by the same names, as here.
  graph::FileNames (*file_names)(const graph::Graph& model, const OptionValues& options) = nullptr;

  graph::FileNames names_in_files(const graph::Graph& model, const OptionValues& settings) const {
    return file_names == nullptr ? graph::FileNames{} : file_names(model, settings);
  }
};

const std::vector<ModelKind>& model_kinds();
const ModelKind& find_model(const std::string& name);  ///< throws InputError naming the nearest

}  // namespace ddlbench::workloads
