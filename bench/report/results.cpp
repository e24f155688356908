#include "bench/report/results.h"

#include <fmt/core.h>

#include "base/printable.h"
#include "bench/report/decision.h"
#include "bench/report/seeds.h"
#include "bench/report/table.h"
#include "bench/report/warnings.h"

namespace ddlbench::bench {

std::string format_missing(const Records& records, const std::string& folder) {
  std::size_t missing = 0;
  for (const auto& [contract, count] : missing_cases(records)) missing += count;
  if (missing == 0) return "";
  const std::size_t cases = records.planned.empty() ? records.cases.size() : records.planned.size();
  return printable(fmt::format("Not complete: {} of {} cases have ended; ddlbench --resume {} runs the others.",
                               cases - missing, cases, folder)) +
         "\n";
}

std::string format_results(const std::vector<Ranking>& rankings) {
  return fmt::format("{}{}\n{}{}", format_table(rankings), format_seeds(rankings), decide(rankings),
                     format_warnings(rankings));
}

}  // namespace ddlbench::bench
