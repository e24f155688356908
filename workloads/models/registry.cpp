#include "base/names.h"
#include "workloads/models/models.h"

namespace ddlbench::workloads {

const std::vector<ModelKind>& model_kinds() {
  static const std::vector<ModelKind> kinds{
#define DDLBENCH_MODEL(name) name(),
#include "workloads/models/models.def"
#undef DDLBENCH_MODEL
  };
  return kinds;
}

const ModelKind& find_model(const std::string& name) {
  return find_named(model_kinds(), name, "model");
}

}  // namespace ddlbench::workloads
