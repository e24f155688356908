#include "graph/ops/codec.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "kernels/functors/codecs/draw.h"
#include "kernels/functors/codecs/rules.h"
#include "kernels/functors/codecs/select.h"
#include "kernels/operands.h"
#include "kernels/own/bind.h"
#include "kernels/reference/ops.h"
#include "kernels/sizes/codec.h"

namespace ddlbench::kernels::reference {
namespace {

using graph::GroupedLayout;

/// The position of an element's code in a payload with a GroupedLayout.
struct CodePlace {
  std::int64_t word;
  int shift;

  CodePlace(std::int64_t element, int bits) {
    const std::int64_t size = GroupedLayout::tile / bits, block = element / size, within = element % size;
    word = block * GroupedLayout::words + within % GroupedLayout::words;
    shift = static_cast<int>(within / GroupedLayout::words) * bits;
  }
};

/// Returns v of an element.
template <class T>
float gradient_at(const Arguments& a, const EncodeSizes& z, std::int64_t i) {
  const float g = own::to_f32(input_of<T>(a, 0)[i]);
  return z.feedback ? g + input(a, 1)[i] : g;
}

template <class Rule, class Value>
GroupScales<Rule::scales> scales_of_group(const Rule& rule, std::int64_t begin, std::int64_t end, const Value& value) {
  if constexpr (Rule::scales == 0) {
    return {};
  } else {
    std::array<typename Rule::Part, sum_columns> columns{};
    for (std::int64_t i = begin; i < end; ++i)
      rule.add(columns[static_cast<std::size_t>((i - begin) % sum_columns)], value(i));
    const auto total =
        joined_columns(columns.data(), [&rule](const auto& x, const auto& y) { return rule.join(x, y); });
    return rule.scales_of(total, end - begin);
  }
}

template <Grouped Rule, class T>
std::unique_ptr<Kernel> encode(const Binding& binding, const Rule& rule) {
  const auto z = sizes_of_encode(binding);
  const GroupedLayout layout = layout_of(rule, z.elements);
  return make_kernel(binding, [=, stream = attributes_of<graph::Encode>(binding).stream](const Arguments& a) {
    const CodecDraw draw(stream, *a.scalars);
    auto* codes = output_of<std::uint32_t>(a, 0);
    auto* scales = reinterpret_cast<float*>(output_of<std::uint8_t>(a, 0) + layout.code_bytes());
    std::fill_n(output_of<std::uint8_t>(a, 0), layout.code_bytes(), std::uint8_t{0});
    for (std::int64_t group = 0; group < layout.groups(); ++group) {
      const std::int64_t begin = group * layout.group, end = std::min(begin + layout.group, z.elements);
      const auto made = scales_of_group(rule, begin, end, [&](std::int64_t i) { return gradient_at<T>(a, z, i); });
      for (int s = 0; s < Rule::scales; ++s) scales[group * Rule::scales + s] = made.of[s];
      for (std::int64_t i = begin; i < end; ++i) {
        const float v = gradient_at<T>(a, z, i);
        const auto words = draw.words(i / CodecDraw::run, i % CodecDraw::lanes);
        const auto code = rule.code(made, v, positive_unit_float(words.v[i / CodecDraw::lanes % 4]));
        const CodePlace place(i, Rule::bits);
        codes[place.word] |= code << place.shift;
        if (z.feedback) output(a, 1)[i] = v - rule.value(made, code);
      }
    }
  });
}

template <Grouped Rule, class T>
std::unique_ptr<Kernel> decode(const Binding& binding, const Rule& rule) {
  const auto z = sizes_of_decode(binding);
  const GroupedLayout layout = layout_of(rule, z.elements);
  return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
    for (std::int64_t i = 0; i < z.elements; ++i) {
      float sum = accumulate ? own::to_f32(output_of<T>(a, 0)[i]) : 0;
      for (std::int64_t part = 0; part < z.parts; ++part) {
        const auto* payload = input_of<std::uint8_t>(a, 0) + part * z.payload_bytes;
        const auto* scales = reinterpret_cast<const float*>(payload + layout.code_bytes());
        GroupScales<Rule::scales> of_group{};
        for (int s = 0; s < Rule::scales; ++s) of_group.of[s] = scales[i / layout.group * Rule::scales + s];
        const CodePlace place(i, Rule::bits);
        const std::uint32_t word = reinterpret_cast<const std::uint32_t*>(payload)[place.word];
        sum += rule.value(of_group, word >> place.shift & ((1U << Rule::bits) - 1));
      }
      output_of<T>(a, 0)[i] = own::from_f32<T>(sum);
    }
  });
}

/// Writes to `order` the indices of the `count` elements with the largest keys, in ascending order. `order` has space
/// for all.
template <class Key, class Value>
void select(std::uint32_t* order, const EncodeSizes& z, const Value& value) {
  const auto before = [&value](std::uint32_t i, std::uint32_t j) {
    const std::uint32_t x = Key::key(value(i)), y = Key::key(value(j));
    return x != y ? x > y : i < j;
  };
  std::iota(order, order + z.elements, 0U);
  std::nth_element(order, order + z.selected - 1, order + z.elements, before);
  std::sort(order, order + z.selected);
}

template <class Value>
float mean_of_selected(const std::uint32_t* indices, std::int64_t count, const Value& value) {
  double sum = 0;
  for (std::int64_t begin = 0; begin < count; begin += mean_run) {
    std::array<float, sum_columns> columns{};
    for (std::int64_t i = begin; i < std::min(begin + mean_run, count); ++i)
      columns[static_cast<std::size_t>(i % sum_columns)] += value(indices[i]);
    sum += joined_columns(columns.data(), [](float x, float y) { return x + y; });
  }
  return mean_of(sum, count);
}

template <class Rule, class T>
std::unique_ptr<Kernel> encode(const Binding& binding, const Rule&) {
  const auto z = sizes_of_encode(binding);
  const auto workspace = static_cast<std::size_t>(z.elements) * sizeof(std::uint32_t);
  return make_kernel(binding, workspace, [=](const Arguments& a) {
    if (z.elements == 0) return;
    const auto value = [&](std::int64_t i) { return gradient_at<T>(a, z, i); };
    auto* order = static_cast<std::uint32_t*>(a.workspace);
    auto* indices = output_of<std::uint32_t>(a, 0);
    auto* values = reinterpret_cast<float*>(indices + z.selected);
    if constexpr (Rule::of_values) {
      select<LargestMagnitude>(order, z, value);
      std::copy_n(order, z.selected, indices);
      std::transform(indices, indices + z.selected, values, [&](std::uint32_t i) { return stored(value(i)); });
    } else {
      select<Smallest>(order, z, value);
      std::copy_n(order, z.selected, indices);
      const float smallest = mean_of_selected(indices, z.selected, value);
      select<Largest>(order, z, value);
      const float largest = mean_of_selected(order, z.selected, value);
      *values = smallest;
      if (sends_largest(largest, smallest)) {
        std::copy_n(order, z.selected, indices);
        *values = largest;
      }
    }
    if (!z.feedback) return;
    for (std::int64_t i = 0; i < z.elements; ++i) output(a, 1)[i] = value(i);
    for (std::int64_t k = 0; k < z.selected; ++k) output(a, 1)[indices[k]] -= Rule::of_values ? values[k] : *values;
  });
}

template <class Rule, class T>
std::unique_ptr<Kernel> decode(const Binding& binding, const Rule&) {
  const auto z = sizes_of_decode(binding);
  const auto workspace = static_cast<std::size_t>(z.elements) * sizeof(float);
  return make_kernel(binding, workspace, [=, accumulate = binding.accumulate](const Arguments& a) {
    auto* sums = static_cast<float*>(a.workspace);
    for (std::int64_t i = 0; i < z.elements; ++i) sums[i] = accumulate ? own::to_f32(output_of<T>(a, 0)[i]) : 0;
    for (std::int64_t part = 0; part < z.parts; ++part) {
      const auto* indices =
          reinterpret_cast<const std::uint32_t*>(input_of<std::uint8_t>(a, 0) + part * z.payload_bytes);
      const auto* values = reinterpret_cast<const float*>(indices + z.selected);
      for (std::int64_t k = 0; k < z.selected; ++k)
        if (indices[k] < z.elements) sums[indices[k]] += Rule::of_values ? values[k] : *values;
    }
    for (std::int64_t i = 0; i < z.elements; ++i) output_of<T>(a, 0)[i] = own::from_f32<T>(sums[i]);
  });
}

}  // namespace

DDLBENCH_REFERENCE_KERNEL(encode, Storage::any_float) {
  return with_rule(attributes_of<graph::Encode>(binding).codec, [&]<class Rule>(const Rule& rule) {
    return own::with_storage(binding.inputs[0].dtype,
                             [&]<class T>(own::StorageTag<T>) { return encode<Rule, T>(binding, rule); });
  });
}

DDLBENCH_REFERENCE_KERNEL(decode, Storage::any_float) {
  return with_rule(attributes_of<graph::Decode>(binding).codec, [&]<class Rule>(const Rule& rule) {
    return own::with_storage(binding.outputs[0].dtype,
                             [&]<class T>(own::StorageTag<T>) { return decode<Rule, T>(binding, rule); });
  });
}

}  // namespace ddlbench::kernels::reference
