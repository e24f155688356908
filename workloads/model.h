#pragma once

#include <string>
#include <vector>

#include "base/option.h"
#include "graph/file_layout.h"
#include "graph/graph.h"

namespace ddlbench::workloads {

/// What a model needs to know of its data set, for one sample (no batch dimension).
struct SampleShape {
  graph::TensorType sample;  ///< such as f32[1x28x28]; for a text i32[sequence]
  graph::Shape label;        ///< of i32; {} for one label per sample, {sequence} for a text
  int classes = 10;

  /// Returns whether every position has a label; the loss then has a perplexity.
  bool is_text() const { return !label.empty(); }
};

/// The loss to train with.
struct LossChoice {
  enum class Kind : std::uint8_t { cross_entropy, mean_squared_error };
  Kind kind = Kind::cross_entropy;
  float label_smoothing = 0;  ///< for cross-entropy
};

struct ModelRequest {
  SampleShape shape;
  std::int64_t batch = 0;
  OptionValues options;  ///< of the kind, complete (with_defaults)
  LossChoice loss = {};
};

/// A kind of model that an experiment can name. `build` returns the forward graph, which ends in its metrics: the loss,
/// the count of correct labels, and the count of labels among the five largest logits. Parameter names are those of
/// torchvision or Hugging Face where they have the model. Throws InputError where the sample does not fit.
struct ModelKind {
  std::string name;
  std::string help;
  std::vector<Option> options;
  graph::Graph (*build)(const ModelRequest& request);
  /// Returns the sample that the model is designed for. Used where there is no data set, as for tables of the model
  /// itself.
  SampleShape (*default_sample)(const OptionValues& options);
  /// Returns the content of the file that the options name; it replaces the options in contracts. Null: the options say
  /// all.
  std::string (*definition)(const OptionValues& options) = nullptr;
  /// Returns names and layouts of the model's parameters in published weight files. Null: same names and layouts as
  /// here.
  graph::FileNames (*file_names)(const graph::Graph& model, const OptionValues& options) = nullptr;

  graph::FileNames names_in_files(const graph::Graph& model, const OptionValues& settings) const {
    return file_names == nullptr ? graph::FileNames{} : file_names(model, settings);
  }
};

const std::vector<ModelKind>& model_kinds();
/// Returns the model called `name`. Throws InputError that names the nearest match.
const ModelKind& find_model(const std::string& name);

}  // namespace ddlbench::workloads
