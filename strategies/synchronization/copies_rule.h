#pragma once

#include "program/update_rule.h"
#include "strategies/spec.h"

namespace ddlbench::strategies {

/// Returns what a strategy with own weights does with them. Says so without the stages, so that these can be held
/// against it.
program::CopiesRule copies_rule(const StrategySpec& spec);

}  // namespace ddlbench::strategies
