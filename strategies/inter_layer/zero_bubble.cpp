#include "strategies/inter_layer/zero_bubble.h"

#include <algorithm>

namespace ddlbench::strategies {

std::vector<Work> zero_bubble_order(int microbatches, int first_forwards, int weight_lag) {
  std::vector<Work> order;
  int forwards = std::min(microbatches, first_forwards);
  for (int m = 0; m < forwards; ++m) order.push_back({Work::Kind::forward, 0, m});
  for (int m = 0; m < microbatches; ++m) {
    order.push_back({Work::Kind::backward_input, 0, m});
    if (m >= weight_lag) order.push_back({Work::Kind::backward_weight, 0, m - weight_lag});
    if (forwards < microbatches) order.push_back({Work::Kind::forward, 0, forwards++});
  }
  for (int m = std::max(0, microbatches - weight_lag); m < microbatches; ++m)
    order.push_back({Work::Kind::backward_weight, 0, m});
  return order;
}

}  // namespace ddlbench::strategies
