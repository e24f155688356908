#pragma once

#include <memory>

#include "kernels/cpu/codec_tiles.h"
#include "kernels/cpu/context.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/selection.h"
#include "kernels/operands.h"
#include "kernels/sizes/codec.h"

/// Codecs with a SelectedLayout.
namespace ddlbench::kernels::cpu {

template <class T>
float mean_of_selected(const std::uint32_t* indices, std::int64_t count, const T* v) {
  double sum = 0;
  for (std::int64_t begin = 0; begin < count; begin += mean_run) {
    std::array<float, sum_columns> columns{};
    for (std::int64_t i = begin; i < std::min(begin + mean_run, count); ++i)
      columns[static_cast<std::size_t>(i % sum_columns)] += own::to_f32(v[indices[i]]);
    sum += joined_columns(columns.data(), [](float a, float b) { return a + b; });
  }
  return mean_of(sum, count);
}

/// Writes the payload of the values v. `other_indices` is space for further z.selected indices.
template <class Rule, class T>
void encode_selected(const Selector& selector, const EncodeSizes& z, const T* v, std::uint32_t* indices,
                     std::uint32_t* other_indices) {
  auto* values = reinterpret_cast<float*>(indices + z.selected);
  if constexpr (Rule::of_values) {
    selector.select<LargestMagnitude>(v, indices);
    for (std::int64_t k = 0; k < z.selected; ++k) values[k] = stored(own::to_f32(v[indices[k]]));
  } else {
    selector.select<Largest>(v, indices);
    selector.select<Smallest>(v, other_indices);
    const float largest = mean_of_selected(indices, z.selected, v);
    const float smallest = mean_of_selected(other_indices, z.selected, v);
    *values = largest;
    if (sends_largest(largest, smallest)) return;
    std::copy_n(other_indices, z.selected, indices);
    *values = smallest;
  }
}

template <class Rule, class T>
std::unique_ptr<Kernel> bind_encode(const Binding& binding, const Context& context, const Rule&) {
  const auto z = sizes_of_encode(binding);
  const std::size_t others = Rule::of_values ? 0 : static_cast<std::size_t>(z.selected) * sizeof(std::uint32_t);
  const std::size_t workspace = Selector::workspace_bytes(context.threads) + others;
  return make_kernel(binding, workspace, [=, threads = context.threads](const Arguments& a) {
    if (z.elements == 0) return;
    const Selector selector(threads, z.elements, z.selected, a.workspace);
    auto* other_indices =
        reinterpret_cast<std::uint32_t*>(static_cast<char*>(a.workspace) + Selector::workspace_bytes(threads));
    auto* indices = output_of<std::uint32_t>(a, 0);
    const T* g = input_of<T>(a, 0);
    if (!z.feedback) return encode_selected<Rule>(selector, z, g, indices, other_indices);
    // The new residual first is v, until the payload is subtracted from it.
    const float* before = input(a, 1);
    float* left = output(a, 1);
    parallel_for(threads, z.elements, z.elements, [=](std::int64_t begin, std::int64_t end) {
      DDLBENCH_INDEPENDENT
      for (std::int64_t i = begin; i < end; ++i) left[i] = own::to_f32(g[i]) + before[i];
    });
    encode_selected<Rule>(selector, z, left, indices, other_indices);
    const auto* values = reinterpret_cast<const float*>(indices + z.selected);
    for (std::int64_t k = 0; k < z.selected; ++k) left[indices[k]] -= Rule::of_values ? values[k] : *values;
  });
}

/// Adds D of the elements [first, first + size) of a payload to `sums`. Ignores indices outside, which only a payload
/// that no Encode made has.
template <class Rule>
void add_selected(const std::uint8_t* payload, std::int64_t selected, std::int64_t first, std::int64_t size,
                  float* sums) {
  const auto* indices = reinterpret_cast<const std::uint32_t*>(payload);
  const auto* values = reinterpret_cast<const float*>(indices + selected);
  for (auto at = std::lower_bound(indices, indices + selected, first) - indices; at < selected; ++at) {
    const std::int64_t to = std::int64_t{indices[at]} - first;
    if (to >= size) return;
    if (to >= 0) sums[to] += Rule::of_values ? values[at] : *values;
  }
}

template <class Rule, class T>
std::unique_ptr<Kernel> bind_decode(const Binding& binding, const Context& context, const Rule&) {
  constexpr std::int64_t piece = 4096;
  const auto z = sizes_of_decode(binding);
  return make_kernel(binding, [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
    const std::int64_t pieces = (z.elements + piece - 1) / piece;
    parallel_for(threads, pieces, z.elements, [&](std::int64_t begin, std::int64_t end) {
      std::array<float, piece> sums;
      for (std::int64_t at = begin; at < end; ++at) {
        const std::int64_t first = at * piece, size = std::min(piece, z.elements - first);
        T* g = output_of<T>(a, 0) + first;
        for (std::int64_t i = 0; i < size; ++i) sums[static_cast<std::size_t>(i)] = accumulate ? own::to_f32(g[i]) : 0;
        for (std::int64_t part = 0; part < z.parts; ++part) {
          const std::uint8_t* payload = input_of<std::uint8_t>(a, 0) + part * z.payload_bytes;
          add_selected<Rule>(payload, z.selected, first, size, sums.data());
        }
        for (std::int64_t i = 0; i < size; ++i) g[i] = own::from_f32<T>(sums[static_cast<std::size_t>(i)]);
      }
    });
  });
}

}  // namespace ddlbench::kernels::cpu
