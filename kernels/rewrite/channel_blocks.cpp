#include "kernels/rewrite/channel_blocks.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/binding.h"
#include "kernels/cpu/parallel.h"
#include "kernels/rewrite/rewritten.h"

namespace ddlbench::kernels {
namespace {

using graph::TensorType;

ReorderSizes reorder_sizes(const TensorType& type, std::int64_t from, std::int64_t to) {
  ReorderSizes z{type.shape[0], type.shape[1], 1, from, to, static_cast<std::int64_t>(graph::size_of(type.dtype))};
  for (std::size_t d = 2; d < type.shape.size(); ++d) z.inner *= type.shape[d];
  return z;
}

/// Transposes: to[column][row] = from[row][column].
template <class T>
void transpose(const T* from, std::int64_t rows, std::int64_t columns, T* to) {
  constexpr std::int64_t tile = 16;
  for (std::int64_t first = 0; first < columns; first += tile) {
    const std::int64_t last = std::min(first + tile, columns);
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = first; column < last; ++column) to[column * rows + row] = from[row * columns + column];
  }
}

template <class T>
void reorder_all(int threads, const ReorderSizes& z, const T* from, T* to) {
  const std::int64_t block = std::max(z.from, z.to), chunk = block * z.inner;
  cpu::parallel_for(threads, z.n * z.channels / block, z.n * z.channels * z.inner, [&](auto begin, auto end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (z.from == 1) transpose(from + i * chunk, block, z.inner, to + i * chunk);
      if (z.to == 1) transpose(from + i * chunk, z.inner, block, to + i * chunk);
    }
  });
}

bool in_blocks(const TensorType& type) {
  return type.channel_block != 1;
}

std::vector<TensorType> row_major(std::vector<TensorType> types) {
  for (TensorType& type : types) type.channel_block = 1;
  return types;
}

}  // namespace

ReorderSizes sizes_of_reorder(const Binding& binding) {
  expect_operands(binding, 1, 1);
  expect_no_accumulation(binding);
  const TensorType &from = binding.inputs[0], &to = binding.outputs[0];
  expect(binding, from.shape == to.shape && from.dtype == to.dtype && from.shape.size() >= 2,
         "the tensors differ in more than their channel block");
  const bool divides = from.shape[1] % from.channel_block == 0 && from.shape[1] % to.channel_block == 0;
  expect(binding, divides, "a block does not divide the channels");
  expect(binding, from.channel_block == 1 || to.channel_block == 1, "one side must be row-major");
  expect(binding, graph::size_of(from.dtype) <= 4, "elements have more than 4 bytes");
  return reorder_sizes(from, from.channel_block, to.channel_block);
}

void reorder(int threads, const ReorderSizes& z, const void* from, void* to) {
  require(z.from == 1 || z.to == 1, "reorder: one side must be row-major");
  if (z.from == z.to) {
    std::memcpy(to, from, static_cast<std::size_t>(z.n * z.channels * z.inner * z.element_bytes));
    return;
  }
  const auto as = [&](auto element) {
    using T = decltype(element);
    reorder_all(threads, z, static_cast<const T*>(from), static_cast<T*>(to));
  };
  if (z.element_bytes == 1) return as(std::uint8_t{});
  if (z.element_bytes == 2) return as(std::uint16_t{});
  require(z.element_bytes == 4, "reorder: elements must have 1, 2 or 4 bytes");
  as(std::uint32_t{});
}

bool has_channel_blocks(const Binding& binding) {
  return any_operand(binding, in_blocks);
}

bool has_partial_channel_blocks(const Binding& binding) {
  return any_operand(binding,
                     [](const TensorType& type) { return in_blocks(type) && type.channel_block != type.shape.at(1); });
}

/// Keeps the op. If an attribute of it states the channel block of the output (Conv2d, Reorder), its shape inference
/// would contradict the new types, but kernels use only the types.
Binding row_major(const Binding& binding) {
  return {binding, row_major(binding.inputs), row_major(binding.outputs)};
}

std::unique_ptr<Kernel> by_row_major(const Binding& blocked, std::unique_ptr<Kernel> kernel, int threads) {
  return on_rewritten(blocked, std::move(kernel), [threads](const TensorType& type) -> std::optional<Rewriting> {
    if (!in_blocks(type)) return std::nullopt;
    const ReorderSizes to_rows = reorder_sizes(type, type.channel_block, 1),
                       to_blocks = reorder_sizes(type, 1, type.channel_block);
    return Rewriting{graph::bytes(type), [=](const void* from, void* to) { reorder(threads, to_rows, from, to); },
                     [=](const void* from, void* to) { reorder(threads, to_blocks, from, to); }};
  });
}

}  // namespace ddlbench::kernels
