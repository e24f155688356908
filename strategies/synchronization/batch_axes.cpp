#include "strategies/synchronization/batch_axes.h"

#include "strategies/spec.h"

namespace ddlbench::strategies {

std::vector<std::string> batch_axes(const program::Mesh& mesh) {
  std::vector<std::string> axes;
  for (const program::Axis& axis : mesh.axes())
    if (splits_batch(axis.name)) axes.push_back(axis.name);
  return axes;
}

int ranks_on(const program::Mesh& mesh, const std::vector<std::string>& axes) {
  int ranks = 1;
  for (const std::string& axis : axes) ranks *= mesh.size_of(axis);
  return ranks;
}

}  // namespace ddlbench::strategies
