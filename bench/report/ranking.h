#pragma once

#include <string>
#include <vector>

#include "bench/records/comparison.h"
#include "bench/records/record.h"

namespace ddlbench::bench {

struct RankedCase {
  int rank = 1;  ///< shared by cases whose interval reaches that of the first of them
  CaseRecord record;
  Comparison comparison;
};

struct UnrankedCase {
  CaseRecord record;
  std::string why;
};

/// The cases of one contract. Ranked by step time: exact, certified, ok, and no more threads than
/// cores or ranks than GPUs.
struct Ranking {
  std::string contract_id;
  std::vector<RankedCase> ranked;      ///< fastest first
  std::vector<UnrankedCase> unranked;  ///< in the order run
};

/// One for each contract, in the order of their first cases.
std::vector<Ranking> rank_cases(const std::vector<CaseRecord>& records);

/// What all cases of a contract share: "mlp on idx, global batch 64, fp32, sgd, seed 1".
std::string describe_contract(const CaseRecord& record);

/// "2×1": ranks and threads of each.
std::string ranks_and_threads(const CaseRecord& record);

}  // namespace ddlbench::bench
