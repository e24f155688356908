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

/// In the order of Use.
constexpr Axis axes[] = {{"pipeline", &MeshSpec::stages}, {"data", &MeshSpec::batch}, {"tensor", &MeshSpec::features}};

void read(const OptionValues& values, StrategySpec& spec) {
  for (const auto& axis_size : value_of<AxisSizes>(values, "mesh")) {
    const std::string& name = axis_size.first;
    const auto axis = std::find_if(std::begin(axes), std::end(axes), [&](const Axis& one) { return one.name == name; });
    if (axis == std::end(axes))
      throw InputError("a hybrid's mesh has no axis '" + name + "'; its axes are data, tensor and pipeline");
    spec.mesh.*axis->size = axis_size.second;
  }
}

}  // namespace

std::string axis_name(Use use) {
  return axes[static_cast<std::size_t>(use)].name;
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
  return {"mesh", {{"mesh", AxisSizes{}, "ranks on each axis", 1, {"data", "tensor", "pipeline"}}}, read};
}

}  // namespace ddlbench::strategies
