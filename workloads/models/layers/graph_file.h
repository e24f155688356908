#pragma once

#include <string>

#include "workloads/model.h"
#include "workloads/models/layers/layer_settings.h"

namespace ddlbench::workloads {

/// A model in JSON; docs/models.md describes the format.
struct GraphFile {
  Document document;
  json::Node root;
  std::string name;
  SampleShape default_sample;
};

/// Returns the text of `file`. Throws InputError where it cannot be read.
std::string read_graph_text(const std::string& file);

/// Parses a model. Throws InputError "file:line:column: /pointer: what" where the text is not a model document. Layers
/// are checked when the model is built.
GraphFile parse_graph(const std::string& text, const std::string& file);

/// Builds the graph of a model, with all blocks expanded. Throws InputError in the same format for unknown kinds,
/// settings and inputs, and for shapes that do not fit.
graph::Graph build_graph(const GraphFile& file, const ModelRequest& request);

}  // namespace ddlbench::workloads
