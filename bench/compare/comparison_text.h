#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench/compare/compared_cases.h"
#include "bench/compare/differences.h"
#include "bench/compare/run_noise.h"
#include "bench/compare/text_table.h"

namespace ddlbench::bench {

/// Parts of the text of a comparison. Each ends with a line feed, or is empty if there is nothing to say.

/// Returns the empty line that Markdown needs around a table.
std::string blank_line(TableFormat as);

/// Returns a table of what differs, below `heading`; at most forty rows, and long values cut.
std::string format_differences(const std::string& heading, const std::vector<Difference>& differences, TableFormat as);

/// Returns a sentence about what a claim has to exceed, and why.
std::string format_margin(const RunNoise& noise, double margin);

/// Returns, for each contract, its description, what `note_of` says about it, and a table of its comparable cases; and
/// then a table of the others, each with the reason.
std::string format_cases(const std::vector<ComparedCase>& cases,
                         const std::function<std::string(const std::string& contract_id)>& note_of, TableFormat as);

/// Returns the number of cases with each verdict, and what follows: "2 slower, 1 same, 1 not comparable".
std::string format_conclusion(const std::vector<ComparedCase>& cases);

/// Returns whether a case became slower.
bool has_regression(const std::vector<ComparedCase>& cases);

}  // namespace ddlbench::bench
