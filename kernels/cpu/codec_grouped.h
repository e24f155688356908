#pragma once

#include <memory>

#include "kernels/cpu/codec_parts.h"
#include "kernels/cpu/context.h"
#include "kernels/cpu/parallel.h"
#include "kernels/operands.h"
#include "kernels/sizes/codec.h"

/// Codecs with a GroupedLayout.
namespace ddlbench::kernels::cpu {

/// A draw costs about this many plain elements.
template <class Rule>
inline constexpr std::int64_t codec_cost = Rule::draws ? 4 : 1;

/// Encodes a group of elements in two passes, of which the second finds v in a cache: g, or with feedback the new
/// residual, which first is v.
template <class Rule, class T>
void encode_group(const Rule& rule, const CodecDraw& draw, const Arguments& a, const EncodeSizes& z, std::int64_t begin,
                  std::int64_t end, std::uint32_t* codes, float* group_scales) {
  const T* g = input_of<T>(a, 0);
  const float* residual = z.feedback ? input(a, 1) : nullptr;
  Tile buffer, numbers;
  const auto each_tile = [&](const auto& body) {
    for (std::int64_t first = begin; first < end; first += tile_elements)
      body(first, std::min(tile_elements, end - first));
  };
  GroupScales<Rule::scales> scales{};
  if constexpr (Rule::scales > 0) {
    Columns<Rule> columns;
    each_tile([&](std::int64_t first, std::int64_t size) {
      const float* v = gradient_tile(g, residual, first, size, buffer);
      columns.add(v, size);
      if (z.feedback) std::copy_n(v, size, output(a, 1) + first);
    });
    scales = rule.scales_of(columns.part(rule), end - begin);
    std::copy_n(scales.of, Rule::scales, group_scales);
  }
  each_tile([&](std::int64_t first, std::int64_t size) {
    const float* v = Rule::scales > 0 && z.feedback ? gradient_tile<float>(output(a, 1), nullptr, first, size, buffer)
                                                    : gradient_tile(g, residual, first, size, buffer);
    if constexpr (Rule::draws) draw_tile(draw, first, numbers);
    std::uint32_t* to = codes + first / tile_elements * Rule::bits * code_lanes;
    float* left = z.feedback ? output(a, 1) + first : nullptr;
    using Whole = std::integral_constant<std::int64_t, tile_elements>;
    if (size < tile_elements) {
      pack_tile(rule, scales, v, numbers.data(), size, buffer.data(), to);
      if (z.feedback) std::copy_n(buffer.data(), size, left);
    } else if (z.feedback) {
      pack_tile(rule, scales, v, numbers.data(), Whole{}, left, to);
    } else {
      pack_tile(rule, scales, v, numbers.data(), Whole{}, nullptr, to);
    }
  });
}

template <Grouped Rule, class T>
std::unique_ptr<Kernel> bind_encode(const Binding& binding, const Context& context, const Rule& rule) {
  const auto z = sizes_of_encode(binding);
  const auto layout = layout_of(rule, z.elements);
  // Without scales, the size of a group is free.
  const std::int64_t group = Rule::scales == 0 ? 8 * tile_elements : layout.group;
  const auto stream = attributes_of<graph::Encode>(binding).stream;
  return make_kernel(binding, [=, threads = context.threads](const Arguments& a) {
    const CodecDraw draw(stream, *a.scalars);
    auto* payload = output_of<std::uint8_t>(a, 0);
    auto* codes = reinterpret_cast<std::uint32_t*>(payload);
    auto* scales = reinterpret_cast<float*>(payload + layout.code_bytes());
    const std::int64_t groups = (z.elements + group - 1) / group;
    parallel_for(threads, groups, z.elements * codec_cost<Rule>, [&](std::int64_t first, std::int64_t last) {
      for (std::int64_t at = first; at < last; ++at) {
        const std::int64_t begin = at * group, end = std::min(begin + group, z.elements);
        encode_group<Rule, T>(rule, draw, a, z, begin, end, codes, scales + at * Rule::scales);
      }
    });
  });
}

/// Decodes `size` elements of all parts, from `first` on.
template <class Rule, class T>
void decode_tile(const Rule& rule, const graph::GroupedLayout& layout, const std::uint8_t* payloads,
                 const DecodeSizes& z, std::int64_t first, std::int64_t size, T* g, bool accumulate) {
  Tile buffer{};
  float* sums = buffer.data();
  if constexpr (std::is_same_v<T, float>) {
    if (size == tile_elements) sums = g;
  }
  if (sums != buffer.data()) {
    if (!accumulate) std::fill_n(sums, size, 0.0f);
  } else if (accumulate) {
    for (std::int64_t i = 0; i < size; ++i) sums[i] = own::to_f32(g[i]);
  }
  for (std::int64_t part = 0; part < z.parts; ++part) {
    const std::uint8_t* payload = payloads + part * z.payload_bytes;
    const auto* codes =
        reinterpret_cast<const std::uint32_t*>(payload) + first / tile_elements * Rule::bits * code_lanes;
    GroupScales<Rule::scales> scales{};
    const auto* all_scales = reinterpret_cast<const float*>(payload + layout.code_bytes());
    std::copy_n(all_scales + first / layout.group * Rule::scales, Rule::scales, scales.of);
    add_tile(rule, scales, codes, size, sums);
  }
  if (sums != buffer.data()) return;
  for (std::int64_t i = 0; i < size; ++i) g[i] = own::from_f32<T>(sums[i]);
}

template <Grouped Rule, class T>
std::unique_ptr<Kernel> bind_decode(const Binding& binding, const Context& context, const Rule& rule) {
  const auto z = sizes_of_decode(binding);
  const auto layout = layout_of(rule, z.elements);
  return make_kernel(binding, [=, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
    const std::int64_t tiles = (z.elements + tile_elements - 1) / tile_elements;
    parallel_for(threads, tiles, z.elements * z.parts, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t tile = begin; tile < end; ++tile) {
        const std::int64_t first = tile * tile_elements, size = std::min(tile_elements, z.elements - first);
        decode_tile(rule, layout, input_of<std::uint8_t>(a, 0), z, first, size, output_of<T>(a, 0) + first, accumulate);
      }
    });
  });
}

}  // namespace ddlbench::kernels::cpu
