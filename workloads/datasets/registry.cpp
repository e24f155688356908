#include "graph/error.h"
#include "workloads/datasets/datasets.h"
#include "workloads/nearest.h"

namespace ddlbench::workloads {

const std::vector<DatasetKind>& dataset_kinds() {
  static const std::vector<DatasetKind> kinds{
      idx(),
      synthetic(),
  };
  return kinds;
}

const DatasetKind& find_dataset(const std::string& name) {
  std::vector<std::string> known;
  for (const DatasetKind& kind : dataset_kinds()) {
    if (kind.name == name) return kind;
    known.push_back(kind.name);
  }
  throw InputError(unknown_name("data set", name, known));
}

}  // namespace ddlbench::workloads
