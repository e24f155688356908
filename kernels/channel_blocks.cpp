#include "kernels/channel_blocks.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/binding.h"
#include "kernels/cpu/parallel.h"

namespace ddlbench::kernels {
namespace {

using graph::TensorType;

ReblockSizes sizes_of(const TensorType& type, std::int64_t from, std::int64_t to) {
  ReblockSizes z{type.shape[0], type.shape[1], 1, from, to, static_cast<std::int64_t>(graph::size_of(type.dtype))};
  for (std::size_t d = 2; d < type.shape.size(); ++d) z.inner *= type.shape[d];
  return z;
}

/// to[column][row] = from[row][column].
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
void reblock_all(int threads, const ReblockSizes& z, const T* from, T* to) {
  const std::int64_t block = std::max(z.from, z.to), chunk = block * z.inner;
  cpu::parallel_for(threads, z.n * z.channels / block, z.n * z.channels * z.inner, [&](auto begin, auto end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (z.from == 1) transpose(from + i * chunk, block, z.inner, to + i * chunk);
      if (z.to == 1) transpose(from + i * chunk, z.inner, block, to + i * chunk);
    }
  });
}

class RowMajorKernel final : public Kernel {
 public:
  RowMajorKernel(const Binding& blocked, std::unique_ptr<Kernel> kernel, int threads)
      : kernel_(std::move(kernel)),
        threads_(threads),
        accumulate_(blocked.accumulate),
        input_parts_(parts_of(blocked.inputs)),
        output_parts_(parts_of(blocked.outputs)),
        inputs_(blocked.inputs.size()),
        outputs_(blocked.outputs.size()) {}

  void launch(const Arguments& arguments) override {
    auto* const base = static_cast<std::byte*>(arguments.workspace);
    std::copy_n(arguments.inputs, inputs_.size(), inputs_.begin());
    std::copy_n(arguments.outputs, outputs_.size(), outputs_.begin());
    for (const Part& part : input_parts_) {
      reblock(threads_, part.to_rows, arguments.inputs[part.index], base + part.offset);
      inputs_[part.index] = base + part.offset;
    }
    for (const Part& part : output_parts_) {
      if (accumulate_) reblock(threads_, part.to_rows, arguments.outputs[part.index], base + part.offset);
      outputs_[part.index] = base + part.offset;
    }
    kernel_->launch({inputs_.data(), outputs_.data(), base + own_bytes_, arguments.scalars});
    for (const Part& part : output_parts_) {
      ReblockSizes to_blocks = part.to_rows;
      std::swap(to_blocks.from, to_blocks.to);
      reblock(threads_, to_blocks, base + part.offset, arguments.outputs[part.index]);
    }
  }
  std::size_t workspace_bytes() const override { return own_bytes_ + kernel_->workspace_bytes(); }
  double flops() const override { return kernel_->flops(); }

 private:
  /// An operand in blocks, and where it lies row-major in the workspace.
  struct Part {
    std::size_t index = 0;  ///< of the op's inputs or outputs
    ReblockSizes to_rows;
    std::size_t offset = 0;
  };

  std::vector<Part> parts_of(const std::vector<TensorType>& types) {
    constexpr std::size_t alignment = 64;
    std::vector<Part> parts;
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (types[i].channel_block == 1) continue;
      parts.push_back({i, sizes_of(types[i], types[i].channel_block, 1), own_bytes_});
      own_bytes_ += (graph::bytes(types[i]) + alignment - 1) / alignment * alignment;
    }
    return parts;
  }

  std::unique_ptr<Kernel> kernel_;
  int threads_;
  bool accumulate_;
  std::size_t own_bytes_ = 0;  ///< of the parts; the workspace of the kernel lies behind them
  std::vector<Part> input_parts_, output_parts_;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
};

bool in_blocks(const TensorType& type) {
  return type.channel_block != 1;
}

std::vector<TensorType> row_major(std::vector<TensorType> types) {
  for (TensorType& type : types) type.channel_block = 1;
  return types;
}

}  // namespace

ReblockSizes sizes_of_reblock(const Binding& binding) {
  expect_operands(binding, 1, 1);
  expect_no_accumulation(binding);
  const TensorType &from = binding.inputs[0], &to = binding.outputs[0];
  expect(binding, from.shape == to.shape && from.dtype == to.dtype && from.shape.size() >= 2,
         "the tensors differ in more than their channel block");
  const bool divides = from.shape[1] % from.channel_block == 0 && from.shape[1] % to.channel_block == 0;
  expect(binding, divides, "a block does not divide the channels");
  expect(binding, from.channel_block == 1 || to.channel_block == 1, "one side must be row-major");
  expect(binding, graph::size_of(from.dtype) <= 4, "elements are of more than 4 bytes");
  return sizes_of(from, from.channel_block, to.channel_block);
}

void reblock(int threads, const ReblockSizes& z, const void* from, void* to) {
  require(z.from == 1 || z.to == 1, "reblock: one side must be row-major");
  if (z.from == z.to) {
    std::memcpy(to, from, static_cast<std::size_t>(z.n * z.channels * z.inner * z.element_bytes));
    return;
  }
  const auto as = [&](auto element) {
    using T = decltype(element);
    reblock_all(threads, z, static_cast<const T*>(from), static_cast<T*>(to));
  };
  if (z.element_bytes == 1) return as(std::uint8_t{});
  if (z.element_bytes == 2) return as(std::uint16_t{});
  require(z.element_bytes == 4, "reblock: elements are of 1, 2 or 4 bytes");
  as(std::uint32_t{});
}

bool has_channel_blocks(const Binding& binding) {
  return std::any_of(binding.inputs.begin(), binding.inputs.end(), in_blocks) ||
         std::any_of(binding.outputs.begin(), binding.outputs.end(), in_blocks);
}

/// As `Conv2d` and `Reblock` name the block of what they make, the op's own shape inference would contradict: kernels
/// look at the types alone.
Binding row_major(const Binding& binding) {
  return {binding.op, row_major(binding.inputs), row_major(binding.outputs), binding.accumulate};
}

std::unique_ptr<Kernel> by_row_major(const Binding& blocked, std::unique_ptr<Kernel> kernel, int threads) {
  return std::make_unique<RowMajorKernel>(blocked, std::move(kernel), threads);
}

}  // namespace ddlbench::kernels
