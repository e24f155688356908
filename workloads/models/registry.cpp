#include "graph/error.h"
#include "workloads/models/models.h"
#include "workloads/nearest.h"

namespace ddlbench::workloads {

const std::vector<ModelKind>& model_kinds() {
  static const std::vector<ModelKind> kinds{
      lenet(),
      mlp(),
  };
  return kinds;
}

const ModelKind& find_model(const std::string& name) {
  std::vector<std::string> known;
  for (const ModelKind& kind : model_kinds()) {
    if (kind.name == name) return kind;
    known.push_back(kind.name);
  }
  throw InputError(unknown_name("model", name, known));
}

}  // namespace ddlbench::workloads
