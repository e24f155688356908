#include "graph/tensor.h"

#include <fmt/core.h>
#include <algorithm>
#include <numeric>

#include "base/enumeration.h"
#include "base/error.h"

namespace ddlbench::graph {

std::size_t size_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
    case DType::i32:
      return 4;
    case DType::bf16:
    case DType::f16:
      return 2;
    case DType::i64:
      return 8;
    case DType::u8:
      return 1;
  }
  throw ContractError("unknown dtype");
}

std::int64_t bytes_of(std::int64_t elements, DType dtype) {
  return elements * static_cast<std::int64_t>(size_of(dtype));
}

std::string_view name(DType dtype) {
  return name_of<DType::u8>(dtype, "f32", "bf16", "f16", "i32", "i64", "u8");
}

namespace {

/// 2^49 bytes in f32 (a layer of VGG-16 for 43 million samples). The bytes of thousands of such tensors still fit in 64
/// bits.
constexpr std::int64_t max_elements = std::int64_t{1} << 47;

}  // namespace

std::int64_t elements(const Shape& shape) {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) {
    const bool overflows = __builtin_mul_overflow(product, size, &product);
    if (overflows || product > max_elements) {
      throw InputError("a tensor of " + to_string(shape) +
                       " elements is too large: the limit is 2^47; reduce it, or the global batch");
    }
  }
  return product;
}

std::string to_string(const Shape& shape) {
  std::string text;
  for (const auto size : shape) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

std::size_t bytes(const TensorType& type) {
  return static_cast<std::size_t>(elements(type.shape)) * size_of(type.dtype);
}

std::string to_string(const TensorType& type) {
  return fmt::format("{}[{}{}]", name(type.dtype), to_string(type.shape),
                     type.channel_block == 1 ? "" : fmt::format(" in {}", type.channel_block));
}

Extent part_of(std::int64_t size, int parts, int index, std::int64_t unit) {
  require(parts > 0 && index >= 0 && index < parts && unit > 0 && size % unit == 0,
          "part_of: the index is out of range, or the unit does not divide the size");
  const std::int64_t units = size / unit;
  const std::int64_t base = units / parts;
  const std::int64_t longer = units % parts;
  const std::int64_t begin = index * base + std::min<std::int64_t>(index, longer);
  return {begin * unit, (begin + base + (index < longer ? 1 : 0)) * unit};
}

std::vector<std::int64_t> part_sizes(std::int64_t size, const std::vector<std::int64_t>& weights, std::int64_t unit) {
  require(!weights.empty() && unit > 0 && size >= 0 && size % unit == 0,
          "part_sizes: there are no parts, or the unit does not divide the size");
  const std::int64_t units = size / unit, least = *std::min_element(weights.begin(), weights.end()),
                     largest = *std::max_element(weights.begin(), weights.end());
  std::int64_t total = 0, product = 0;
  for (const std::int64_t weight : weights)
    require(least > 0 && !__builtin_add_overflow(total, weight, &total), "part_sizes: a weight is out of range");
  require(!__builtin_mul_overflow(total, largest, &product), "part_sizes: a weight is out of range");
  std::vector<std::int64_t> sizes;
  for (const std::int64_t weight : weights) sizes.push_back(units / total * weight + units % total * weight / total);
  std::int64_t rest = units - std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
  require(rest == 0 || !__builtin_mul_overflow(units + 1, largest, &product), "part_sizes: the size is out of range");
  for (; rest > 0; --rest) {
    std::size_t next = 0;
    for (std::size_t i = 1; i < sizes.size(); ++i) {
      const std::int64_t one = (sizes[i] + 1) * weights[next], other = (sizes[next] + 1) * weights[i];
      if (one < other || (one == other && weights[i] < weights[next])) next = i;
    }
    ++sizes[next];
  }
  for (std::int64_t& one : sizes) one *= unit;
  return sizes;
}

Extent part_of(std::int64_t size, const std::vector<std::int64_t>& weights, int index, std::int64_t unit) {
  require(index >= 0 && static_cast<std::size_t>(index) < weights.size(), "part_of: the index is out of range");
  const std::vector<std::int64_t> sizes = part_sizes(size, weights, unit);
  const std::int64_t begin = std::accumulate(sizes.begin(), sizes.begin() + index, std::int64_t{0});
  return {begin, begin + sizes[static_cast<std::size_t>(index)]};
}

}  // namespace ddlbench::graph
