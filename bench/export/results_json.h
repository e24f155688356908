#pragma once

#include <string>
#include <vector>

#include "bench/page/run_results.h"

namespace ddlbench::bench {

/// The version of the document below. It increases if a key is removed or changes its meaning, not if one is added.
inline constexpr int results_json_version = 1;

/// Returns everything that a report of these runs says, as one JSON document that ends with a line feed:
///   {"schema_version": …, "runs": [{"folder", "notes", "environment", "config", "contracts": [{"contract_id",
///    "description", "decision", "warnings", "margin_ratio", "control_ratio", "control_low_ratio",
///    "control_high_ratio", "ranked": [{"case_id", "rank", "letters"}], "not_ranked": [{"case_id", "reason"}],
///    "pairs": [{"case_id", "other_case_id", "verdict", "speedup_ratio", "speedup_low_ratio",
///    "speedup_high_ratio"}]}], "seeds": [{"replicate_id", "description", "seeds", "lines": [members of SeedLine]}],
///    "cases", "epochs", "ranks", "utilisation", "visits"}]}
/// The last five are the rows of the tables, with the columns of results_schema() as keys. A value that is missing, or
/// a number that is not finite, is null. All characters are ASCII: JSON escapes the others.
std::string results_json(const std::vector<RunResults>& runs);

}  // namespace ddlbench::bench
