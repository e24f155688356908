#pragma once

#include <string_view>
#include <vector>

#include "cases.h"

namespace ddlbench::test {

/// Batch normalisation, its statistics, dropout, casts and bytes: groups of samples, a whole batch, one value per
/// channel, 1 × 1 images, odd channels, shards without samples, and long columns of few and of many channels.
std::vector<OpCase> norm_cases();

/// Returns whether operand `index` of a normalisation is f32 whatever the type of x.
bool is_statistic(std::string_view op_kind, std::size_t index);

/// Returns part [begin, end) of a dimension.
HostTensor part_of(const HostTensor& tensor, int dimension, std::int64_t begin, std::int64_t end);
/// Concatenates parts along a dimension.
HostTensor joined(const std::vector<HostTensor>& parts, int dimension);

}  // namespace ddlbench::test
