#pragma once

#include <string_view>
#include <vector>

#include "cases.h"

namespace ddlbench::test {

/// Batch normalisation, its statistics, dropout, casts and bytes: groups of samples, a whole batch, one value per
/// channel, 1 × 1 images, odd channels, shards without samples.
std::vector<OpCase> norm_cases();

/// Whether operand `index` of a normalisation is f32 whatever type x has.
bool is_statistic(std::string_view op_kind, std::size_t index);

/// Part [begin, end) of a dimension.
HostTensor part_of(const HostTensor& tensor, int dimension, std::int64_t begin, std::int64_t end);
/// Parts of a dimension put together again.
HostTensor joined(const std::vector<HostTensor>& parts, int dimension);

}  // namespace ddlbench::test
