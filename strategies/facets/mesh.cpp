#include <fmt/core.h>
#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "strategies/facets/list.h"

namespace ddlbench::strategies {
namespace {

struct Axis {
  const char* name;
  int MeshSpec::*size;
};

constexpr std::int64_t most_ranks = 4096;

/// In the order of Use.
constexpr Axis axes[] = {{"pipeline", &MeshSpec::stages},
                         {"replica", &MeshSpec::replicas},
                         {"data", &MeshSpec::batch},
                         {"tensor", &MeshSpec::features}};

void read_mesh(const OptionValues& values, StrategySpec& spec) {
  for (const auto& axis_size : value_of<AxisSizes>(values, "mesh")) {
    const std::string& name = axis_size.first;
    const auto axis = std::find_if(std::begin(axes), std::end(axes), [&](const Axis& one) { return one.name == name; });
    if (axis == std::end(axes))
      throw InputError("a hybrid's mesh has no axis '" + name + "'; its axes are data, replica, tensor and pipeline");
    spec.mesh.*axis->size = axis_size.second;
  }
  const auto node_ranks = static_cast<int>(value_of<std::int64_t>(values, "node_ranks"));
  if (node_ranks == 0 || node_ranks >= spec.mesh.batch) return;
  if (spec.mesh.replicas > 1)
    throw InputError("node_ranks splits the data axis, but the mesh has a replica axis already; leave one of them out");
  if (spec.mesh.batch % node_ranks != 0)
    throw Unsupported(fmt::format("{} data-parallel ranks do not divide into nodes of {}; use a multiple of {} ranks",
                                  spec.mesh.batch, node_ranks, node_ranks));
  spec.mesh.replicas = spec.mesh.batch / node_ranks;
  spec.mesh.batch = node_ranks;
}

}  // namespace

std::string axis_name(Use use) {
  return axes[static_cast<std::size_t>(use)].name;
}

bool splits_batch(const std::string& axis) {
  return axis == axis_name(Use::replicas) || axis == axis_name(Use::batch);
}

bool has_axis(const OptionValues& values, Use use) {
  const auto found = values.find("mesh");
  if (found == values.end()) return false;
  const auto& mesh = std::get<AxisSizes>(found->second);
  return std::any_of(mesh.begin(), mesh.end(), [&](const auto& axis) { return axis.first == axis_name(use); });
}

program::Mesh MeshSpec::mesh() const {
  std::vector<program::Axis> made;
  for (const Axis& axis : axes)
    if (this->*axis.size != 1) made.push_back({axis.name, this->*axis.size});
  return program::Mesh(std::move(made));
}

Facet mesh_facet() {
  return {
      "mesh",
      {{"mesh", AxisSizes{}, "ranks on each axis", 1, {"data", "tensor", "pipeline", "replica"}},
       {"node_ranks",
        std::int64_t{0},
        "data-parallel ranks of a node: splits the data axis into `data` within a node and `replica` between nodes; "
        "0: no nodes",
        0,
        {},
        most_ranks}},
      read_mesh};
}

}  // namespace ddlbench::strategies
