#pragma once

#include "graph/half.h"

/// Loads that widen to f32 and stores that round from f32, of one element or of as many as one instruction transfers.
namespace ddlbench::kernels::own {

using graph::Bfloat16;
using graph::Float16;
using graph::from_f32;
using graph::to_f32;

/// The elements that one load or store transfers.
template <class T, int width>
struct alignas(sizeof(T) * width) Pack {
  T of[width];
};

template <int width>
struct Floats {
  float of[width];
};

/// Loads a pack. `from` must be aligned to the pack.
template <int width, class T>
DDLBENCH_HOST_DEVICE inline Floats<width> load(const T* from) {
  const auto pack = *reinterpret_cast<const Pack<T, width>*>(from);
  Floats<width> values;
  for (int k = 0; k < width; ++k) values.of[k] = to_f32(pack.of[k]);
  return values;
}

template <int width, class T>
DDLBENCH_HOST_DEVICE inline void store(T* to, const Floats<width>& values) {
  Pack<T, width> pack;
  for (int k = 0; k < width; ++k) pack.of[k] = from_f32<T>(values.of[k]);
  *reinterpret_cast<Pack<T, width>*>(to) = pack;
}

/// Writes a pack, or adds it to the existing values if `accumulate`.
template <int width, class T>
DDLBENCH_HOST_DEVICE inline void store(T* to, Floats<width> values, bool accumulate) {
  if (accumulate) {
    const auto before = load<width>(to);
    for (int k = 0; k < width; ++k) values.of[k] += before.of[k];
  }
  store(to, values);
}

template <class T>
DDLBENCH_HOST_DEVICE inline void store_one(T* to, float value, bool accumulate) {
  *to = from_f32<T>(accumulate ? to_f32(*to) + value : value);
}

}  // namespace ddlbench::kernels::own
