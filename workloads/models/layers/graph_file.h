#pragma once

#include <string>

#include "workloads/model.h"
#include "workloads/models/layers/layer_settings.h"

namespace ddlbench::workloads {

/// A model in JSON, of which docs/models.md says what can stand in it.
struct GraphFile {
  Document document;
  json::Node root;
  std::string name;
  SampleShape natural;
};

/// The text of the file. Throws InputError where it cannot be read.
std::string read_graph_text(const std::string& file);

/// Throws InputError "file:line:column: /pointer: what" where the text is no such document; layers are looked at when
/// they are built.
GraphFile parse_graph(const std::string& text, const std::string& file);

/// The layers, blocks written out. Throws InputError in the same form: for kinds, settings and inputs that are unknown,
/// and for shapes that do not fit.
graph::Graph build_graph(const GraphFile& file, const ModelRequest& request);

}  // namespace ddlbench::workloads
