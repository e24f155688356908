#pragma once

#include "kernels/device.h"

namespace ddlbench::kernels {

inline const float* input(const Arguments& arguments, int index) {
  return static_cast<const float*>(arguments.inputs[index]);
}

inline float* output(const Arguments& arguments, int index) {
  return static_cast<float*>(arguments.outputs[index]);
}

template <class T>
const T* input_of(const Arguments& arguments, int index) {
  return static_cast<const T*>(arguments.inputs[index]);
}

template <class T>
T* output_of(const Arguments& arguments, int index) {
  return static_cast<T*>(arguments.outputs[index]);
}

/// Writes `value` to `target`, or adds it.
inline void write(float& target, double value, bool accumulate) {
  target = static_cast<float>(accumulate ? target + value : value);
}

}  // namespace ddlbench::kernels
