#pragma once

#include <string>
#include <vector>

#include "bench/page/looks.h"
#include "bench/page/replicates.h"
#include "bench/page/run_results.h"

namespace ddlbench::bench {

/// Cases of one strategy that a line joins in a chart: they differ in the number of ranks, and replicates in the seed.
struct CaseLine {
  std::string facet;  ///< what distinguishes its chart from others: "fp32, batch 64"; empty if there is only one
  std::string label;  ///< the strategy, and what distinguishes the line from others of the strategy in this chart
  Look look;
  std::vector<Replicates> points;  ///< in ascending order of ranks, none twice
  bool weak = false;               ///< the batch per rank is the same (weak scaling); otherwise the global batch is
};

/// Groups the rows into lines: the cases of a strategy and a contract, and those of a strategy and a scaling_id that
/// have one batch per rank, if their numbers of ranks differ. A case can be on a line of each kind. Lines point into
/// `results`.
std::vector<CaseLine> case_lines(const RunResults& results);

/// Returns the facets of lines, each once, in their order.
std::vector<std::string> facets_of(const std::vector<CaseLine>& lines);

/// Returns what distinguishes the contract of a case from others of the run: "fp32, batch 64"; empty if there is only
/// one.
std::string contract_facet(const RunResults& results, const CaseRecord& record);

/// Returns what distinguishes the contracts of a case and its replicates from others of the run.
std::string replicates_facet(const RunResults& results, const CaseRecord& record);

/// Returns the looks of the strategies of a run.
Looks looks_of(const RunResults& results);

}  // namespace ddlbench::bench
