#include "bench/report/results.h"

#include <fmt/core.h>

#include "bench/report/decision.h"
#include "bench/report/seeds.h"
#include "bench/report/table.h"
#include "bench/report/warnings.h"

namespace ddlbench::bench {

std::string format_results(const std::vector<Ranking>& rankings) {
  return fmt::format("{}{}\n{}{}", format_table(rankings), format_seeds(rankings), decide(rankings),
                     format_warnings(rankings));
}

}  // namespace ddlbench::bench
