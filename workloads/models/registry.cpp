#include "graph/names.h"
#include "workloads/models/models.h"

namespace ddlbench::workloads {

const std::vector<ModelKind>& model_kinds() {
  static const std::vector<ModelKind> kinds{
      lenet(),
      mlp(),
  };
  return kinds;
}

const ModelKind& find_model(const std::string& name) {
  return graph::find_named(model_kinds(), name, "model");
}

}  // namespace ddlbench::workloads
