#include "strategies/passes/schedule.h"

namespace ddlbench::strategies {

std::vector<Work> accumulate_schedule(const Pipeline& pipeline, int) {
  std::vector<Work> order;
  for (int m = 0; m < pipeline.microbatches; ++m) {
    order.push_back({Work::Kind::forward, 0, m});
    order.push_back({Work::Kind::backward, 0, m});
  }
  return order;
}

}  // namespace ddlbench::strategies
