#include "base/names.h"
#include "workloads/datasets/datasets.h"

namespace ddlbench::workloads {

const std::vector<DatasetKind>& dataset_kinds() {
  static const std::vector<DatasetKind> kinds{
#define DDLBENCH_DATASET(name) name(),
#include "workloads/datasets/datasets.def"
#undef DDLBENCH_DATASET
  };
  return kinds;
}

const DatasetKind& find_dataset(const std::string& name) {
  return find_named(dataset_kinds(), name, "data set");
}

}  // namespace ddlbench::workloads
