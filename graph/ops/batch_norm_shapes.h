#pragma once

#include <string>

#include "graph/tensor.h"

/// What the ops of batch normalisation ask of their inputs. Each expect_… throws InputError naming the op, the input
/// and both shapes.
namespace ddlbench::graph {

/// x has channels, and its batch is whole groups.
void expect_groups(const std::string& op, const TensorType& x, std::int64_t samples);

/// f32[G, 4, C], f32[G, 2, C] of x[N, C, …] in groups of `samples`.
TensorType moments_of(const Shape& x, std::int64_t samples);
TensorType sums_of(const Shape& x, std::int64_t samples);

/// Moments of any groups.
void expect_moments(const std::string& op, const TensorType& moments);
void expect_moments(const std::string& op, const TensorType& moments, const TensorType& x, std::int64_t samples);
void expect_sums(const std::string& op, const TensorType& sums, const TensorType& moments);
/// One value of `dtype` per channel.
void expect_channels(const std::string& op, const std::string& input, const TensorType& type, const TensorType& x,
                     DType dtype);
void expect_equal(const std::string& op, const std::string& input, const TensorType& type, const TensorType& x);

}  // namespace ddlbench::graph
