#pragma once

#include <vector>

#include "bench/case/measure.h"
#include "program/account.h"

namespace ddlbench::bench {

/// Throws ContractError with both numbers unless the memory that this rank's device allocated equals the plan's, and
/// the bytes that its transport sent per measured step equal the account's, operation by operation.
void require_as_planned(Trainer& trainer, const Counted& counted);

/// Returns the account of every rank of a plan.
std::vector<program::Account> accounts_of(const program::Plan& plan);

/// Measured results of a case's steps, and the plan's accounts; by rank.
struct MeasuredCase {
  StepTimes times;
  std::vector<StepCounts> counts;
  std::vector<program::Account> accounts;
};

/// Returns one row per rank.
std::vector<RankRecord> rank_records(const Trainer& trainer, const MeasuredCase& measured);

}  // namespace ddlbench::bench
