#pragma once

#include <cstdint>

#include "program/cadence.h"

namespace ddlbench::bench {

/// The steps that a certificate compares: `count` steps that count from `first`.
struct CertifiedSteps {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Returns the steps in which a case with this cadence is compared with its reference. If all steps run the same body:
/// the first `wanted`. Otherwise they begin with the last step of the ramp and contain a whole cycle and one step more,
/// if that is at most 17 steps; in a longer cycle they end one step after the cycle. Where steps complete the work of
/// those before: from the first step on, after which the gradients are read and the fill begins again, to one step
/// after a cycle that follows that fill. None if none are wanted.
CertifiedSteps certified_steps(const program::Cadence& cadence, std::int64_t wanted);

}  // namespace ddlbench::bench
