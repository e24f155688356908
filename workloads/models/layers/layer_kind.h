#pragma once

#include <string>
#include <vector>

#include "base/option.h"
#include "workloads/models/builder.h"

namespace ddlbench::workloads {

/// A kind of layer of a model in JSON. A setting whose default is below its minimum must be given.
struct LayerKind {
  std::string name;
  std::string help;
  std::vector<Option> options;
  int min_inputs = 1;
  int max_inputs = 1;
  /// Appends the layer and returns its output. Throws InputError where the inputs do not fit.
  graph::TensorId (*add)(Builder& net, const std::string& name, const std::vector<graph::TensorId>& inputs,
                         const OptionValues& options);
};

const std::vector<LayerKind>& layer_kinds();

/// The layer kinds of each file.
std::vector<LayerKind> image_layers();
std::vector<LayerKind> text_layers();
std::vector<LayerKind> common_layers();

/// Settings that several kinds share.
Option size_option(std::string name, std::string help);  ///< at least 1; must be given
Option activation_option();
std::vector<Option> weight_init_options();
graph::Activation activation_of(const OptionValues& options);
WeightInit weight_init_of(const OptionValues& options);

}  // namespace ddlbench::workloads
