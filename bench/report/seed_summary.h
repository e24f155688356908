#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/report/ranking.h"
#include "bench/statistics/interval.h"

namespace ddlbench::bench {

/// The cases that differ in the seed alone (bench/report/replicate_key.h): estimates over the seeds with 95 %
/// intervals (bench/statistics/interval.h), whose limits are not both finite if only one seed has a value. Nothing
/// where no seed has one.
struct SeedLine {
  std::string strategy;
  std::string conditions;  ///< device, transport and settings if they vary in the table: "mpi, workers=4"
  int ranks = 1;
  int threads_per_rank = 1;
  bool is_baseline = false;               ///< the fastest strategy on one rank
  std::optional<Interval> step_seconds;   ///< of ranked cases
  std::optional<Interval> speedup_ratio;  ///< over the baseline, from the seeds that both have; 1 for the baseline
  std::optional<Interval> accuracy_ratio;
  std::optional<Interval> accuracy_difference;  ///< from the baseline's, from the seeds that both have
  std::string accuracy_verdict;  ///< "better", "worse", "not shown to differ"; empty without a difference
  bool has_target = false;
  std::size_t trained = 0;                                      ///< number of cases that trained
  std::size_t reached = 0;                                      ///< number of those that reached the target
  std::optional<Interval> seconds_to_target, epochs_to_target;  ///< if all reached it
};

/// The cases of contracts that differ in the seed alone.
struct SeedTable {
  std::string replicate_id;
  std::string description;  ///< "mlp on idx, global batch 64, fp32, sgd, over the seeds 1, 2"
  std::vector<std::uint64_t> seeds;
  std::vector<SeedLine> lines;
};

/// Returns a table for each contract that ran with several seeds and is otherwise equal. Step times and speedups are
/// those of ranked cases; final accuracies and the ways to the target also those of other trained cases. Verdicts are
/// by Student's t with Holm's correction over the lines of the table.
std::vector<SeedTable> seed_tables(const std::vector<Ranking>& rankings);

}  // namespace ddlbench::bench
