#pragma once

#include <cstdint>
#include <vector>

#include "case_list.h"
#include "graph/ops/low_rank.h"

namespace ddlbench::test {

/// Returns buckets with matrices at the beginning, between vectors and at the end, with few and with many columns.
std::vector<graph::LowRankLayout> low_rank_layouts();

/// Returns P or Q of a bucket's matrices, with values that depend on `name`.
HostTensor low_rank_factor(std::int64_t elements, const std::string& name);

void add_low_rank_reconstructs(Cases& cases, graph::DType to);
void add_low_rank(Cases& cases);

}  // namespace ddlbench::test
