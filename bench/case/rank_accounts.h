#pragma once

#include <vector>

#include "bench/case/measure.h"
#include "program/account.h"

namespace ddlbench::bench {

/// Throws ContractError naming both numbers unless what this rank's device handed out is what the plan says,
/// and what its transport sent per measured step is what the account says, operation by operation.
void require_as_planned(Trainer& trainer, const Counted& counted);

/// Of every rank of a plan.
std::vector<program::Account> accounts_of(const program::Plan& plan);

/// What was measured of a case's steps, and what was planned of them; by rank.
struct MeasuredCase {
  StepTimes times;
  std::vector<StepCounts> counts;
  std::vector<program::Account> accounts;
};

/// A row for each rank.
std::vector<RankRecord> rank_records(const Trainer& trainer, const MeasuredCase& measured);

}  // namespace ddlbench::bench
