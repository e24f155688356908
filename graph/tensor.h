#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/dtype.h"

namespace ddlbench::graph {

/// Dimensions, outermost first. A scalar is {1}.
using Shape = std::vector<std::int64_t>;

std::int64_t elements(const Shape& shape);
std::string to_string(const Shape& shape);  ///< "64x1x28x28"

/// Elements lie row-major, without gaps. With a channel block b > 1, which divides dimension 1, channels lie in blocks
/// of b, the channels of a block innermost: [N, C/b, H, W, b]. The bytes are as many, and parts of the dimensions 0 and
/// 1 that cut no block lie where they do without: what moves such parts need not know of blocks. A block of all
/// channels is channels last.
struct TensorType {
  Shape shape;
  DType dtype = DType::f32;
  std::int64_t channel_block = 1;
  bool operator==(const TensorType&) const = default;
};

/// Wanted of whole tensors, a block of as many channels as each has.
inline constexpr std::int64_t all_channels = 0;

std::size_t bytes(const TensorType& type);
std::string to_string(const TensorType& type);  ///< "f32[64x1x28x28]", "f32[64x32x28x28 in 16]" with a channel block

enum class Role : std::uint8_t {
  input,
  label,
  sample,  ///< i32[batch]: each sample's index in the data set, by which random numbers are drawn for it
  parameter,
  gradient,
  statistic,  ///< persistent like a parameter, but observed and not learned: batch norm's running mean
  activation,
  metric,
};

/// How a parameter starts. Element i of tensor t draws from Philox at (seed, t, i), so that a shard
/// draws exactly what the whole would have.
struct Initializer {
  enum class Kind : std::uint8_t { constant, uniform, normal };
  Kind kind = Kind::constant;
  float a = 0;  ///< constant: the value; uniform: lower bound; normal: mean
  float b = 0;  ///< uniform: upper bound; normal: standard deviation
};

struct TensorSpec {
  std::string name;
  TensorType type;
  Role role = Role::activation;
  Initializer initializer = {};
};

/// A half-open range of one dimension.
struct Extent {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t size() const { return end - begin; }
  bool operator==(const Extent&) const = default;
};

/// The `index`-th of `parts` parts of [0, size): the first size % parts parts are one longer, counted in
/// units. Every split in ddlbench (shards, chunks of a collective, batches) is this one.
Extent part_of(std::int64_t size, int parts, int index, std::int64_t unit = 1);

}  // namespace ddlbench::graph
