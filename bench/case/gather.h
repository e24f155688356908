#pragma once

#include <vector>

#include "comm/all_gather.h"

namespace ddlbench::bench {

using comm::all_gather;

/// Returns the element-wise sum over ranks. Every rank passes the same number of elements. Collective.
inline std::vector<double> sum_over_ranks(comm::Communicator& communicator, const std::vector<double>& own) {
  std::vector<double> sum(own.size(), 0.0);
  for (const std::vector<double>& part : all_gather(communicator, own)) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part.at(i);
  }
  return sum;
}

}  // namespace ddlbench::bench
