#include "bench/case/certified_steps.h"

#include <algorithm>

namespace ddlbench::bench {

CertifiedSteps certified_steps(const program::Cadence& cadence, std::int64_t wanted) {
  constexpr std::int64_t longest_cycle = 16;
  const std::int64_t ramp = cadence.ramp_steps(), cycle = cadence.cycle_steps();
  if (const auto fill = static_cast<std::int64_t>(cadence.fill.size()); wanted > 0 && fill > 0)
    return {0, std::max(wanted, 1 + fill + ramp + cycle + 1)};
  if (wanted == 0 || (ramp == 0 && cycle == 1)) return {0, wanted};
  if (cycle > std::max(longest_cycle, wanted)) return {std::max<std::int64_t>(0, ramp + cycle + 1 - wanted), wanted};
  const std::int64_t first = std::max<std::int64_t>(0, ramp - 1);
  return {first, std::max(wanted, ramp - first + cycle + 1)};
}

}  // namespace ddlbench::bench
