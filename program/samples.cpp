#include "program/samples.h"

#include "base/error.h"

namespace ddlbench::program {

graph::Extent samples_of(const Plan& plan, int rank, const InputSlot& slot, int microbatch) {
  const Mesh& mesh = plan.meshes.at(static_cast<std::size_t>(plan.role(rank).mesh));
  const Coordinates coordinates = mesh.coordinates_of(rank);
  int parts = 1;
  int index = 0;
  for (const std::string& axis : slot.axes) {
    const std::optional<int> at = mesh.find(axis);
    if (!at) continue;
    const int size = mesh.axes()[static_cast<std::size_t>(*at)].size;
    parts *= size;
    index = index * size + coordinates[static_cast<std::size_t>(*at)];
  }
  require(plan.shares.empty() || plan.shares.size() == static_cast<std::size_t>(parts),
          "input '{}' is split into {} parts, but the plan has {} shares", slot.tensor, parts, plan.shares.size());
  const graph::Extent whole = graph::part_of(plan.global_batch, plan.microbatches, microbatch);
  const graph::Extent part = plan.shares.empty() ? graph::part_of(whole.size(), parts, index)
                                                 : graph::part_of(whole.size(), plan.shares, index);
  return {whole.begin + part.begin, whole.begin + part.end};
}

}  // namespace ddlbench::program
