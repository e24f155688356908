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

/// A row for each rank; `accounts` and `flops_per_step` by rank.
std::vector<RankRecord> rank_records(const Trainer& trainer, const StepTimes& times,
                                     const std::vector<program::Account>& accounts,
                                     const std::vector<double>& flops_per_step);

}  // namespace ddlbench::bench
