#pragma once

#include "kernels/functors/codecs/draw.h"
#include "kernels/functors/codecs/rules.h"
#include "kernels/own/bind.h"
#include "kernels/sizes/codec.h"

/// Codecs with a GroupedLayout. A warp encodes a group: lane c collects column c (kernels/functors/codecs/group.h), and
/// then every lane makes whole words of codes.
namespace ddlbench::kernels::own {

using graph::GroupedLayout;

template <class Rule, class T>
struct EncodeGroupsBody {
  static constexpr int codes_per_word = 32 / Rule::bits;
  static constexpr std::int64_t block_elements = GroupedLayout::tile / Rule::bits;
  Rule rule;
  GroupedLayout layout;
  std::uint64_t stream;
  const graph::Scalars* scalars;
  const T* g;
  const float* residual;  ///< null: none
  float* left;
  std::uint32_t* codes;
  float* scales;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    static_assert(sum_columns == warp_size);
    const CodecDraw draw(stream, *scalars);
    for (std::int64_t group = team.index(); group < layout.groups(); group += team.count()) {
      const std::int64_t begin = group * layout.group, limit = begin + layout.group;
      const std::int64_t end = limit < layout.elements ? limit : layout.elements;
      const auto made = scales_of_group(team, begin, end);
      team.each([&](int lane) {
        for (int s = lane; s < Rule::scales; s += warp_size) scales[group * Rule::scales + s] = made.of[s];
        const std::int64_t first = begin / block_elements * GroupedLayout::words;
        const std::int64_t blocks = quotient_up(end - begin, block_elements);
        for (std::int64_t word = lane; word < blocks * GroupedLayout::words; word += warp_size)
          codes[first + word] = word_of(made, draw, first + word);
      });
    }
  }

 private:
  DDLBENCH_DEVICE float value_at(std::int64_t i) const {
    return residual == nullptr ? to_f32(g[i]) : to_f32(g[i]) + residual[i];
  }

  DDLBENCH_DEVICE GroupScales<Rule::scales> scales_of_group(auto& team, std::int64_t begin, std::int64_t end) const {
    if constexpr (Rule::scales == 0) {
      return {};
    } else {
      const auto join = [this](const auto& a, const auto& b) { return rule.join(a, b); };
      const auto total = team.reduce(join, [&](int lane) {
        typename Rule::Part part{};
        DDLBENCH_UNROLL
        for (std::int64_t i = begin + lane; i < end; i += warp_size) rule.add(part, value_at(i));
        return part;
      });
      return rule.scales_of(total, end - begin);
    }
  }

  /// Returns a word of codes, and stores what is left of their elements.
  DDLBENCH_DEVICE std::uint32_t word_of(const GroupScales<Rule::scales>& of_group, const CodecDraw& draw,
                                        std::int64_t word) const {
    const std::int64_t lane = word % GroupedLayout::words;
    const std::int64_t first = word / GroupedLayout::words * block_elements + lane;
    std::uint32_t codes_of_word = 0;
    graph::Philox random{};
    DDLBENCH_UNROLL
    for (int k = 0; k < codes_per_word; ++k) {
      const std::int64_t i = first + k * GroupedLayout::words;
      if (i >= layout.elements) break;
      const auto of_draw = static_cast<int>(i / CodecDraw::lanes % words_of_draw);
      if (Rule::draws && of_draw == 0) random = draw.words(i / CodecDraw::run, lane);
      const float v = value_at(i);
      const std::uint32_t code = rule.code(of_group, v, positive_unit_float(word_at(random, of_draw)));
      codes_of_word |= code << (Rule::bits * k);
      if (residual != nullptr) left[i] = v - rule.value(of_group, code);
    }
    return codes_of_word;
  }
  static constexpr int words_of_draw = 4;

  /// Selects by comparisons: a GPU copies an array that a thread indexes dynamically to local memory first.
  DDLBENCH_DEVICE static std::uint32_t word_at(const graph::Philox& random, int index) {
    const std::uint32_t low = index == 0 ? random.v[0] : random.v[1], high = index == 2 ? random.v[2] : random.v[3];
    return index < 2 ? low : high;
  }
};

/// A thread decodes the elements of a word of codes.
template <class Rule, class T>
struct DecodeGroupsBody {
  static constexpr int codes_per_word = 32 / Rule::bits;
  static constexpr std::int64_t block_elements = GroupedLayout::tile / Rule::bits;
  Rule rule;
  GroupedLayout layout;
  const std::uint8_t* payloads;
  std::int64_t parts, payload_bytes;
  T* g;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    constexpr std::uint32_t mask = (1u << Rule::bits) - 1;
    const std::int64_t words = layout.code_bytes() / std::int64_t{sizeof(std::uint32_t)};
    each_index(team, words, [&](std::int64_t word) {
      const std::int64_t block = word / GroupedLayout::words * block_elements;
      const std::int64_t first = block + word % GroupedLayout::words;
      float sums[codes_per_word];
      for (int k = 0; k < codes_per_word; ++k) {
        const std::int64_t i = first + k * GroupedLayout::words;
        sums[k] = accumulate && i < layout.elements ? to_f32(g[i]) : 0.0f;
      }
      for (std::int64_t part = 0; part < parts; ++part) {
        const std::uint8_t* payload = payloads + part * payload_bytes;
        const std::uint32_t codes = reinterpret_cast<const std::uint32_t*>(payload)[word];
        const auto* scales = reinterpret_cast<const float*>(payload + layout.code_bytes());
        GroupScales<Rule::scales> of_group{};
        for (int s = 0; s < Rule::scales; ++s) of_group.of[s] = scales[block / layout.group * Rule::scales + s];
        for (int k = 0; k < codes_per_word; ++k) sums[k] += rule.value(of_group, codes >> (Rule::bits * k) & mask);
      }
      for (int k = 0; k < codes_per_word; ++k) {
        const std::int64_t i = first + k * GroupedLayout::words;
        if (i < layout.elements) g[i] = from_f32<T>(sums[k]);
      }
    });
  }
};

template <Grouped Rule, class T>
std::unique_ptr<Kernel> bind_encode_by(const Binding& binding, const auto& launcher, const Rule& rule) {
  const auto z = sizes_of_encode(binding);
  const auto layout = layout_of(rule, z.elements);
  const auto stream = attributes_of<graph::Encode>(binding).stream;
  return make_kernel(binding, [=](const Arguments& a) {
    auto* payload = output_of<std::uint8_t>(a, 0);
    const EncodeGroupsBody<Rule, T> body{rule,
                                         layout,
                                         stream,
                                         a.scalars,
                                         input_of<T>(a, 0),
                                         z.feedback ? input(a, 1) : nullptr,
                                         z.feedback ? output(a, 1) : nullptr,
                                         reinterpret_cast<std::uint32_t*>(payload),
                                         reinterpret_cast<float*>(payload + layout.code_bytes())};
    launcher.warps("encode", layout.groups(), body);
  });
}

template <Grouped Rule, class T>
std::unique_ptr<Kernel> bind_decode_by(const Binding& binding, const auto& launcher, const Rule& rule) {
  const auto z = sizes_of_decode(binding);
  const auto layout = layout_of(rule, z.elements);
  return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
    const DecodeGroupsBody<Rule, T> body{
        rule, layout, input_of<std::uint8_t>(a, 0), z.parts, z.payload_bytes, output_of<T>(a, 0), accumulate};
    launcher.items("decode", layout.code_bytes() / std::int64_t{sizeof(std::uint32_t)}, body);
  });
}

}  // namespace ddlbench::kernels::own
