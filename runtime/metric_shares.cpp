#include "runtime/metric_shares.h"

#include <algorithm>

#include "base/error.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

const MetricSlot* find(const Program& program, const std::string& tensor) {
  for (const MetricSlot& slot : program.metrics) {
    if (slot.tensor == tensor) return &slot;
  }
  return nullptr;
}

bool counts(const Plan& plan, const MetricSlot& slot, int rank) {
  const Mesh& mesh = plan.meshes[static_cast<std::size_t>(plan.role(rank).mesh)];
  const Coordinates coordinates = mesh.coordinates_of(rank);
  return std::all_of(slot.replicated_axes.begin(), slot.replicated_axes.end(), [&](const std::string& axis) {
    const auto index = mesh.find(axis);
    return !index || coordinates[static_cast<std::size_t>(*index)] == 0;
  });
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
    if (own != nullptr && counts(plan, *own, rank)) share.slot = own;
  }
  return shares;
}

std::size_t position_of_metric(const program::Plan& plan, program::Program program::Role::*program_of,
                               const std::string& tensor) {
  const std::vector<MetricShare> shares = metric_shares(plan, program_of, 0);
  const auto found =
      std::find_if(shares.begin(), shares.end(), [&](const MetricShare& share) { return share.tensor == tensor; });
  require(found != shares.end(), "the model has no metric '{}'", tensor);
  return static_cast<std::size_t>(found - shares.begin());
}

}  // namespace ddlbench::runtime
