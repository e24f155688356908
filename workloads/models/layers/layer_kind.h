#pragma once

#include <string>
#include <vector>

#include "base/option.h"
#include "workloads/models/builder.h"

namespace ddlbench::workloads {

/// What a layer of a model in JSON can be. A setting whose default is below its minimum must be given.
struct LayerKind {
  std::string name;
  std::string help;
  std::vector<Option> options;
  int least_inputs = 1;
  int most_inputs = 1;
  /// Appends the layer and returns its output. Throws InputError where the inputs do not fit.
  graph::TensorId (*add)(Builder& net, const std::string& name, const std::vector<graph::TensorId>& inputs,
                         const OptionValues& options);
};

const std::vector<LayerKind>& layer_kinds();

/// Each file's own.
std::vector<LayerKind> image_layers();
std::vector<LayerKind> text_layers();
std::vector<LayerKind> common_layers();

/// Settings that kinds share.
Option size_option(std::string name, std::string help);  ///< at least 1, must be given
Option activation_option();
std::vector<Option> start_options();
graph::Activation activation_of(const OptionValues& options);
Start start_of(const OptionValues& options);

}  // namespace ddlbench::workloads
