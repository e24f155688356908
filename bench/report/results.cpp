#include "bench/report/results.h"

#include <fmt/core.h>

#include "base/printable.h"
#include "bench/report/decision.h"
#include "bench/report/seeds.h"
#include "bench/report/table.h"
#include "bench/report/warnings.h"

namespace ddlbench::bench {

std::string format_missing(const std::vector<Ranking>& rankings, const Records& records, const std::string& folder) {
  std::size_t missing = 0;
  for (const auto& [contract, count] : missing_cases(records)) missing += count;
  const std::string without_rounds = contracts_without_rounds(rankings);
  std::string text;
  if (!records.kind.shard.empty())
    text += fmt::format("Part {} of an experiment: ddlbench merge joins its parts.\n", records.kind.shard);
  if (missing == 0 && without_rounds.empty()) return text;
  const std::size_t cases = records.planned.empty() ? records.cases.size() : records.planned.size();
  text += fmt::format("Not complete: {} of {} cases have ended", cases - missing, cases);
  if (!without_rounds.empty()) text += fmt::format(", but not the rounds of {}", without_rounds);
  return text + printable(fmt::format("; ddlbench --resume {} runs what is left.", folder)) + "\n";
}

std::string format_results(const std::vector<Ranking>& rankings) {
  return fmt::format("{}{}\n{}{}", format_table(rankings), format_seeds(rankings), decide(rankings),
                     format_warnings(rankings));
}

}  // namespace ddlbench::bench
