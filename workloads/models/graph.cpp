#include "workloads/models/layers/graph_file.h"
#include "workloads/models/models.h"

namespace ddlbench::workloads {
namespace {

GraphFile file_of(const OptionValues& options) {
  const auto& file = value_of<std::string>(options, "file");
  return parse_graph(read_graph_text(file), file);
}

}  // namespace

ModelKind graph_of_layers() {
  return {"graph",
          "a graph of layers from a JSON file, such as configs/models/resnet56.json",
          {{"file", std::string(), "path of the file; its content is part of the contract"}},
          [](const ModelRequest& request) { return build_graph(file_of(request.options), request); },
          [](const OptionValues& options) { return file_of(options).default_sample; },
          [](const OptionValues& options) { return read_graph_text(value_of<std::string>(options, "file")); }};
}

}  // namespace ddlbench::workloads
