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

/// Returns the place of a metric among those that Engine::metrics returns. A plan may have metrics of its own, and a
/// stage without the loss lists those first. Throws ContractError if there is no such metric.
std::size_t position_of_metric(const program::Plan& plan, program::Program program::Role::*program_of,
                               const std::string& tensor);

}  // namespace ddlbench::runtime
