#pragma once

#include "cases.h"
#include "graph/ops/optimizer.h"

namespace ddlbench::test {

/// Every op over flat parameters: of no, one, odd and many elements, of tensors that cut vectors, of empty ones and of
/// ones that have no elements here, with and without each guard.
std::vector<OpCase> optimizer_cases();

/// The five optimizers' updates and measures at a site, on inputs drawn at random: `squared_norm` where the guard asks.
std::vector<Run> optimizer_runs(const graph::UpdateSite& site, const graph::Guard& guard, std::int64_t size,
                                float squared_norm);

/// Returns a site of seven elements: two tensors and an exempt one.
graph::UpdateSite small_site();

}  // namespace ddlbench::test
