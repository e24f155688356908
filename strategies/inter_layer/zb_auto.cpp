#include <algorithm>

#include "strategies/inter_layer/warm_up_search.h"

namespace ddlbench::strategies {
namespace {

/// 1F1B holds the activations of p micro-batches on its first rank.
std::vector<std::vector<Work>> zb_auto_orders(const Pipeline& pipeline) {
  const auto most_held = static_cast<int>(std::min(pipeline.activation_limit * pipeline.ranks, 1e6));
  return search_warm_up(pipeline, std::max(1, most_held));
}

}  // namespace

ScheduleKind zb_auto() {
  ScheduleKind kind{"zb_auto",
                    "like zb_h1, with the order that a search finds for the times of the stages and a limit of memory "
                    "(Qi et al. 2024)",
                    zb_auto_orders};
  kind.has_activation_limit = true;
  return kind;
}

}  // namespace ddlbench::strategies
