#include "graph/error.h"
#include "strategies/facets/list.h"

namespace ddlbench::strategies {
namespace {

constexpr Use uses[] = {Use::stages, Use::batch, Use::features};

Use use_of(const std::string& axis) {
  for (const Use use : uses)
    if (axis_name(use) == axis) return use;
  throw InputError("a hybrid's mesh has no axis '" + axis + "'; its axes are data, tensor and pipeline");
}

void read(const graph::OptionValues& values, StrategySpec& spec) {
  for (const auto& [axis, size] : graph::value_of<graph::AxisSizes>(values, "mesh"))
    spec.mesh.size_of(use_of(axis)) = size;
}

}  // namespace

std::string axis_name(Use use) {
  switch (use) {
    case Use::stages:
      return "pipeline";
    case Use::batch:
      return "data";
    case Use::features:
      return "tensor";
  }
  throw ContractError("unknown use of an axis");
}

int& MeshSpec::size_of(Use use) {
  return use == Use::stages ? stages : use == Use::batch ? batch : features;
}

int MeshSpec::size_of(Use use) const {
  return const_cast<MeshSpec&>(*this).size_of(use);
}

program::Mesh MeshSpec::mesh() const {
  std::vector<program::Axis> axes;
  for (const Use use : uses)
    if (size_of(use) != 1) axes.push_back({axis_name(use), size_of(use)});
  return program::Mesh(std::move(axes));
}

Facet mesh_facet() {
  return {"mesh", {{"mesh", graph::AxisSizes{}, "ranks on each axis", 1, {"data", "tensor", "pipeline"}}}, read};
}

}  // namespace ddlbench::strategies
