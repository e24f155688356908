#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/dtype.h"

namespace ddlbench::graph {

/// Dimensions, outermost first. A scalar is {1}.
using Shape = std::vector<std::int64_t>;

/// Returns the number of elements. Throws InputError if it exceeds 2^47.
std::int64_t elements(const Shape& shape);
std::string to_string(const Shape& shape);  ///< "64x1x28x28"

/// The type of a tensor. Elements are row-major, without gaps. With a channel block b > 1, which divides dimension 1,
/// the layout is [N, C/b, H, W, b]: the channels of a block are innermost. The number of bytes does not change, and
/// parts of dimensions 0 and 1 that contain whole blocks have the same offsets as in row-major tensors, so code that
/// copies such parts does not depend on blocks. One block of all channels is channels last.
struct TensorType {
  Shape shape;
  DType dtype = DType::f32;
  std::int64_t channel_block = 1;
  bool operator==(const TensorType&) const = default;
};

/// As a requested block: for each tensor, one block of all its channels.
inline constexpr std::int64_t all_channels = 0;

std::size_t bytes(const TensorType& type);
std::string to_string(const TensorType& type);  ///< "f32[64x1x28x28]", "f32[64x32x28x28 in 16]" with a channel block

enum class Role : std::uint8_t {
  input,
  label,
  sample,  ///< i32[batch]: the index of each sample in the data set, for its random numbers
  parameter,
  gradient,
  statistic,  ///< persistent like a parameter but not learned, such as the running mean of batch normalisation
  activation,
  metric,
};

/// The initial values of a parameter. Element i of tensor t is drawn from Philox at (seed, t, i), so a shard has the
/// same values as that part of the whole tensor.
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

/// Returns the `index`-th of `parts` parts of [0, size), counted in units: the first (size / unit) % parts parts are
/// one unit longer. All splits in ddlbench (shards, chunks of a collective, batches) use this function, or the
/// following ones. Throws ContractError if `unit` does not divide `size`, or if there is no such part.
Extent part_of(std::int64_t size, int parts, int index, std::int64_t unit = 1);

/// Returns the sizes of parts of [0, size) in proportion to `weights`, counted in units. Where that is not possible
/// exactly, the largest of all size / weight is the least possible: if weights are speeds, the last part is done as
/// early as possible (the method of D'Hondt). The order of the weights matters only where they are equal: the first of
/// these parts are one unit longer. Throws ContractError if `unit` does not divide `size`, if a weight is not positive,
/// or if the weights are so large that 64 bits are too few.
std::vector<std::int64_t> part_sizes(std::int64_t size, const std::vector<std::int64_t>& weights,
                                     std::int64_t unit = 1);

/// Returns the `index`-th of these parts.
Extent part_of(std::int64_t size, const std::vector<std::int64_t>& weights, int index, std::int64_t unit = 1);

}  // namespace ddlbench::graph
