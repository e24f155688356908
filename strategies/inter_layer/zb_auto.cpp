#include <algorithm>

#include "strategies/inter_layer/bubble.h"
#include "strategies/inter_layer/schedules.h"
#include "strategies/inter_layer/warm_up_search.h"

namespace ddlbench::strategies {
namespace {

/// Returns the number of micro-batches whose activations a rank may hold: 1F1B holds p on its first rank.
int most_held(const Pipeline& pipeline) {
  constexpr double rounding = 1e-9;
  const double limit = pipeline.activation_limit * pipeline.ranks + rounding;
  return static_cast<int>(std::clamp(limit, 1.0, static_cast<double>(pipeline.microbatches)));
}

/// The searched order, or a handcrafted one of less time that holds no more.
std::vector<std::vector<Work>> zb_auto_orders(const Pipeline& pipeline) {
  const int most = most_held(pipeline);
  FilledOrders best = search_warm_up(pipeline, most);
  for (const char* name : {"zb_h1", "zb_h2"}) {
    const Schedule& handcrafted = find_schedule(name).schedule;
    const Bubble bubble = bubble_of(pipeline, handcrafted);
    if (bubble.most_held <= most && bubble.span < best.span) best = {handcrafted.orders(pipeline), bubble.span};
  }
  return std::move(best.orders);
}

}  // namespace

ScheduleKind zb_auto() {
  ScheduleKind kind{"zb_auto",
                    "like zb_h1, with an order that a search finds for the stage times and a memory limit (Qi et al. "
                    "2024)",
                    zb_auto_orders};
  kind.has_activation_limit = true;
  return kind;
}

}  // namespace ddlbench::strategies
