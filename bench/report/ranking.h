#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/records/comparison.h"
#include "bench/records/paired_verdicts.h"
#include "bench/records/record.h"
#include "bench/records/timed_cases.h"

namespace ddlbench::bench {

struct RankedCase {
  /// With rounds: 1 + the number of cases that are shown to be faster. Without: shared by tied cases, those whose
  /// interval overlaps that of the first of them.
  int rank = 1;
  std::string letters;  ///< cases that share a letter are not shown to differ; empty without rounds
  CaseRecord record;
  Comparison comparison;
};

struct UnrankedCase {
  CaseRecord record;
  std::string why;
};

/// The cases of one contract. A case is ranked by step time if it is ok, exact and certified, and has no more threads
/// than cores and no more ranks than GPUs.
struct Ranking {
  std::string contract_id;
  std::vector<RankedCase> ranked;          ///< fastest first
  std::vector<UnrankedCase> unranked;      ///< in the order in which they ran
  std::optional<PairedVerdicts> verdicts;  ///< of the ranked cases; nothing without rounds
  std::size_t missing = 0;                 ///< see missing_cases()
  bool lacks_rounds = false;               ///< the run has rounds, and those of this contract have not ended
};

/// Returns one ranking for each contract, in the order of their first cases. `timed`: the cases of these records.
std::vector<Ranking> rank_cases(const TimedCases& timed, const Records& records);
std::vector<Ranking> rank_cases(const Records& records);

/// Returns the number of contracts that lack their rounds, "a contract" or "2 contracts"; empty if none does.
std::string contracts_without_rounds(const std::vector<Ranking>& rankings);

/// Returns why a case is not ranked for speed; empty if it is.
std::string why_unranked(const CaseRecord& record);

/// Returns what all cases of a contract share: "mlp on idx, global batch 64, fp32, sgd, seed 1".
std::string describe_contract(const CaseRecord& record);

/// Returns the number of ranks and that of threads per rank: "2×1".
std::string ranks_and_threads(const CaseRecord& record);

}  // namespace ddlbench::bench
