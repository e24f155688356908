#pragma once

#include "program/update_rule.h"
#include "strategies/spec.h"

namespace ddlbench::strategies {

/// Adds to `rule`, which has one kind of step, what a strategy with own weights does with them. Says so without the
/// stages, so that these can be held against it.
void add_copies(const StrategySpec& spec, program::UpdateRule& rule);

}  // namespace ddlbench::strategies
