#pragma once

#include <string>

#include "graph/tensor.h"

/// Requirements of the batch normalisation ops on their inputs. Each expect_… throws InputError with the op and the
/// shapes, except the first expect_moments, which throws ContractError.
namespace ddlbench::graph {

/// Requires that x has channels and that its batch consists of whole groups.
void expect_groups(const std::string& op, const TensorType& x, std::int64_t samples);

/// Return f32[G, 4, C] and f32[G, 2, C] for x[N, C, …] in groups of `samples`.
TensorType moments_of(const Shape& x, std::int64_t samples);
TensorType sums_of(const Shape& x, std::int64_t samples);

/// Requires moments of any number of groups and channels.
void expect_moments(const std::string& op, const TensorType& moments);
void expect_moments(const std::string& op, const TensorType& moments, const TensorType& x, std::int64_t samples);
void expect_sums(const std::string& op, const TensorType& sums, const TensorType& moments);
/// Requires one value of `dtype` for each channel of x.
void expect_channels(const std::string& op, const std::string& input, const TensorType& type, const TensorType& x,
                     DType dtype);
void expect_equal(const std::string& op, const std::string& input, const TensorType& type, const TensorType& x);

}  // namespace ddlbench::graph
