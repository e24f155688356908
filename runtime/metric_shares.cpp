#include "runtime/metric_shares.h"

#include <algorithm>

namespace ddlbench::runtime {

using namespace program;

namespace {

const MetricSlot* find(const Program& program, const std::string& tensor) {
  for (const MetricSlot& slot : program.metrics) {
    if (slot.tensor == tensor) return &slot;
  }
  return nullptr;
}

Coordinates partial_coordinates(const Plan& plan, const MetricSlot& slot, int rank) {
  const Mesh& mesh = plan.meshes[static_cast<std::size_t>(plan.role(rank).mesh)];
  const Coordinates all = mesh.coordinates_of(rank);
  Coordinates result;
  for (const std::string& axis : slot.partial_axes) {
    if (const auto index = mesh.find(axis)) result.push_back(all[static_cast<std::size_t>(*index)]);
  }
  return result;
}

}  // namespace

std::vector<MetricShare> metric_shares(const Plan& plan, Program Role::*program_of, int rank) {
  std::vector<MetricShare> shares;
  for (const Role& role : plan.roles) {
    for (const MetricSlot& slot : (role.*program_of).metrics) {
      const bool known =
          std::any_of(shares.begin(), shares.end(), [&](const MetricShare& s) { return s.tensor == slot.tensor; });
      if (!known) shares.push_back({slot.tensor, nullptr});
    }
  }
  for (MetricShare& share : shares) {
    const MetricSlot* own = find(plan.role(rank).*program_of, share.tensor);
    if (own == nullptr) continue;
    share.slot = own;
    const Coordinates part = partial_coordinates(plan, *own, rank);
    for (int lower = 0; lower < rank && share.slot != nullptr; ++lower) {
      const MetricSlot* other = find(plan.role(lower).*program_of, share.tensor);
      if (other != nullptr && partial_coordinates(plan, *other, lower) == part) share.slot = nullptr;
    }
  }
  return shares;
}

}  // namespace ddlbench::runtime
