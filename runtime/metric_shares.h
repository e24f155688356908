#pragma once

#include <string>
#include <vector>

#include "program/plan.h"

namespace ddlbench::runtime {

/// A metric, and whether this rank's value contributes to it.
struct MetricShare {
  std::string tensor;
  const program::MetricSlot* slot = nullptr;  ///< nullptr: this rank contributes nothing
};

/// Returns, for `rank`, all metrics of one of the two programs of every role, in the order in which roles name them.
std::vector<MetricShare> metric_shares(const program::Plan& plan, program::Program program::Role::*program_of,
                                       int rank);

}  // namespace ddlbench::runtime
