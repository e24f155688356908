#pragma once

#include <string>
#include <vector>

#include "bench/page/run_results.h"

namespace ddlbench::bench {

/// A case in two runs. One of them may lack it (nullptr).
struct CasePair {
  const CaseRecord* old_case = nullptr;
  const CaseRecord* new_case = nullptr;
  std::string why;  ///< their times cannot be compared; empty if they can
};

/// Pairs the cases of two runs by their work (records/work.h); several of the same work in their order. A case is
/// comparable if it can be ranked in both runs. Cases that are left over are paired with the most similar one of the
/// same strategy and ranks, to say in what they differ. First come the cases of the new run in their order, then those
/// that only the old run has. The pairs refer to the rows of the runs.
std::vector<CasePair> pair_cases(const RunResults& old_run, const RunResults& new_run);

/// Returns why the times of two cases of the same work cannot be compared; empty if they can.
std::string why_incomparable(const CaseRecord& old_case, const CaseRecord& new_case);

}  // namespace ddlbench::bench
