#include "bench/compare/compared_cases.h"

#include <cmath>

namespace ddlbench::bench {

Interval ComparedCase::ratio() const {
  const Interval& faster = times->log_ratio;
  return {std::exp(-faster.value), std::exp(-faster.high), std::exp(-faster.low)};
}

void decide(std::vector<ComparedCase>& cases) {
  std::vector<ComparedCase*> tested;
  std::vector<double> p_values;
  for (ComparedCase& one : cases) {
    if (!one.times) continue;
    one.verdict = Verdict::ambiguous;
    if (one.without_rounds) continue;
    tested.push_back(&one);
    p_values.push_back(one.times->p);
  }
  const std::vector<double> adjusted = holm(p_values);
  for (std::size_t i = 0; i < tested.size(); ++i) {
    tested[i]->adjusted_p = adjusted[i];
    tested[i]->verdict = verdict(*tested[i]->times, adjusted[i], tested[i]->margins);
  }
}

}  // namespace ddlbench::bench
