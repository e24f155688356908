#pragma once

#include "kernels/functors/codecs/rules.h"
#include "kernels/own/selection.h"
#include "kernels/sizes/codec.h"

/// Codecs with a SelectedLayout.
namespace ddlbench::kernels::own {

/// left = g + residual
template <class T>
struct AddResidualBody {
  const T* g;
  const float* residual;
  float* left;
  std::int64_t size;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, size, [&](std::int64_t i) { left[i] = to_f32(g[i]) + residual[i]; });
  }
};

/// Writes the selected values, and subtracts them from `left`, which may be `v` or null.
template <class T>
struct TakeValuesBody {
  const T* v;
  const std::uint32_t* indices;
  std::int64_t selected;
  float* values;
  float* left;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, selected, [&](std::int64_t k) {
      values[k] = stored(to_f32(v[indices[k]]));
      if (left != nullptr) left[indices[k]] -= values[k];
    });
  }
};

/// Sums runs of selected values: a warp sums a run, lane c its column c.
template <class T>
struct SumRunsBody {
  const T* v;
  const std::uint32_t* indices;
  std::int64_t selected;
  float* sums;  ///< of each run

  DDLBENCH_DEVICE void operator()(auto& team) const {
    static_assert(sum_columns == warp_size);
    for (std::int64_t run = team.index(); run * mean_run < selected; run += team.count()) {
      const float sum = team.reduce(Sum{}, [&](int lane) {
        float mine = 0;
        for (std::int64_t k = run * mean_run + lane; k < selected && k < (run + 1) * mean_run; k += warp_size)
          mine += to_f32(v[indices[k]]);
        return mine;
      });
      team.each([&](int lane) {
        if (lane == 0) sums[run] = sum;
      });
    }
  }
};

/// A list of selected elements, and the sums of its runs.
struct SelectedSums {
  const std::uint32_t* indices;
  const float* sums;

  DDLBENCH_DEVICE float mean(std::int64_t selected) const {
    double sum = 0;
    for (std::int64_t run = 0; run * mean_run < selected; ++run) sum += sums[run];
    return mean_of(sum, selected);
  }
};

/// Decides which mean is sent: writes it, and its list. Every block computes both means, which are short sums.
struct ChooseSideBody {
  SelectedSums largest, smallest;
  std::int64_t selected;
  std::uint32_t* indices;
  float* mean;
  float* left;  ///< null: there is no residual

  struct Side {
    float mean;
    std::uint32_t is_largest;
  };

  DDLBENCH_DEVICE void operator()(auto& team) const {
    const Side side = team.first([&]() -> Side {
      const float high = largest.mean(selected), low = smallest.mean(selected);
      return sends_largest(high, low) ? Side{high, 1} : Side{low, 0};
    });
    each_index(team, selected, [&](std::int64_t k) {
      const std::uint32_t index = (side.is_largest != 0 ? largest : smallest).indices[k];
      indices[k] = index;
      if (k == 0) *mean = side.mean;
      if (left != nullptr) left[index] -= side.mean;
    });
  }
};

/// Adds the payloads to chunks of elements, one after the other. A block keeps the sums of a chunk in shared memory.
/// Ignores indices outside the bucket, which only a payload that no Encode made has.
template <class Rule, class T>
struct DecodeSelectedBody {
  const std::uint8_t* payloads;
  std::int64_t size, selected, parts, payload_bytes;
  T* g;
  bool accumulate;

  struct Run {
    float of[elements_of_thread];
  };

  DDLBENCH_DEVICE void operator()(auto& team) const {
    float* sums = team.template scratch<Run>()->of;
    for (std::int64_t begin = team.index() * select_chunk; begin < size; begin += team.count() * select_chunk) {
      const std::int64_t end = begin + select_chunk < size ? begin + select_chunk : size;
      const auto each_element = [&](const auto& body) {
        team.each([&](int thread) {
          for (std::int64_t i = begin + thread; i < end; i += team.threads()) body(i);
        });
      };
      each_element([&](std::int64_t i) { sums[i - begin] = accumulate ? to_f32(g[i]) : 0.0f; });
      for (std::int64_t part = 0; part < parts; ++part) {
        const auto* indices = reinterpret_cast<const std::uint32_t*>(payloads + part * payload_bytes);
        const auto* values = reinterpret_cast<const float*>(indices + selected);
        const std::int64_t first = place_of(indices, begin), last = place_of(indices, end);
        team.each([&](int thread) {
          for (std::int64_t k = first + thread; k < last; k += team.threads()) {
            const std::int64_t index = indices[k];
            if (index >= begin && index < end) sums[index - begin] += Rule::of_values ? values[k] : *values;
          }
        });
      }
      each_element([&](std::int64_t i) { g[i] = from_f32<T>(sums[i - begin]); });
    }
  }

 private:
  /// Returns the first place in the list whose index is at least `index`.
  DDLBENCH_DEVICE std::int64_t place_of(const std::uint32_t* indices, std::int64_t index) const {
    std::int64_t low = 0, high = selected;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (indices[middle] < index) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

/// Memory of a launch after the selection's: for each side, the list and the sums of its runs.
struct SidesMemory {
  std::uint32_t* lists[2];
  float* sums[2];

  static std::size_t bytes(std::int64_t selected) {
    return 2 * static_cast<std::size_t>(selected + quotient_up(selected, mean_run)) * sizeof(std::uint32_t);
  }
  SidesMemory(void* memory, std::int64_t selected) {
    lists[0] = static_cast<std::uint32_t*>(memory);
    lists[1] = lists[0] + selected;
    sums[0] = reinterpret_cast<float*>(lists[1] + selected);
    sums[1] = sums[0] + quotient_up(selected, mean_run);
  }
};

/// Writes the payload of the values v, and subtracts it from `left` unless that is null.
template <class Rule, class T>
void launch_encode(const auto& launcher, const EncodeSizes& z, const T* v, const Arguments& a, float* left) {
  const Selection selection(z.elements, z.selected, a.workspace);
  auto* indices = output_of<std::uint32_t>(a, 0);
  auto* values = reinterpret_cast<float*>(indices + z.selected);
  if constexpr (Rule::of_values) {
    selection.template launch<LargestMagnitude>(launcher, v, indices);
    launcher.items("encode", z.selected, TakeValuesBody<T>{v, indices, z.selected, values, left});
  } else {
    const SidesMemory sides(static_cast<char*>(a.workspace) + Selection::workspace_bytes(z.elements), z.selected);
    selection.template launch<Largest>(launcher, v, sides.lists[0]);
    selection.template launch<Smallest>(launcher, v, sides.lists[1]);
    for (int s = 0; s < 2; ++s) {
      const SumRunsBody<T> body{v, sides.lists[s], z.selected, sides.sums[s]};
      launcher.warps("encode", quotient_up(z.selected, mean_run), body);
    }
    const ChooseSideBody body{
        {sides.lists[0], sides.sums[0]}, {sides.lists[1], sides.sums[1]}, z.selected, indices, values, left};
    launcher.items("encode", z.selected, body);
  }
}

template <class Rule, class T>
std::unique_ptr<Kernel> bind_encode_by(const Binding& binding, const auto& launcher, const Rule&) {
  const auto z = sizes_of_encode(binding);
  const std::size_t sides = Rule::of_values ? 0 : SidesMemory::bytes(z.selected);
  return make_kernel(binding, Selection::workspace_bytes(z.elements) + sides, [=](const Arguments& a) {
    if (z.elements == 0) return;
    const T* g = input_of<T>(a, 0);
    if (!z.feedback) return launch_encode<Rule>(launcher, z, g, a, nullptr);
    // The new residual first is v, until the payload is subtracted from it.
    float* left = output(a, 1);
    launcher.items("encode", z.elements, AddResidualBody<T>{g, input(a, 1), left, z.elements});
    launch_encode<Rule>(launcher, z, static_cast<const float*>(left), a, left);
  });
}

template <class Rule, class T>
std::unique_ptr<Kernel> bind_decode_by(const Binding& binding, const auto& launcher, const Rule&) {
  const auto z = sizes_of_decode(binding);
  return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
    const DecodeSelectedBody<Rule, T> body{
        input_of<std::uint8_t>(a, 0), z.elements, z.selected, z.parts, z.payload_bytes, output_of<T>(a, 0), accumulate};
    launcher.blocks("decode", quotient_up(z.elements, select_chunk), body);
  });
}

}  // namespace ddlbench::kernels::own
