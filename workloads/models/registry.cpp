#include "graph/names.h"
#include "workloads/models/models.h"

namespace ddlbench::workloads {

const std::vector<ModelKind>& model_kinds() {
  static const std::vector<ModelKind> kinds{
      lenet(),
      mlp(),
      tiny_gpt(),
  };
  return kinds;
}

const ModelKind& find_model(const std::string& name) {
  return graph::find_named(model_kinds(), name, "model");
}

}  // namespace ddlbench::workloads
