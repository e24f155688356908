#pragma once

#include <string>
#include <vector>

#include "program/plan.h"

namespace ddlbench::runtime {

/// A metric and whether this rank's value is part of it.
struct MetricShare {
  std::string tensor;
  const program::MetricSlot* slot = nullptr;  ///< nullptr: this rank adds nothing
};

/// All metrics of one of the programs of every role, in the order in which roles name them, as rank `rank`
/// sees them.
std::vector<MetricShare> metric_shares(const program::Plan& plan, program::Program program::Role::*program_of,
                                       int rank);

}  // namespace ddlbench::runtime
