#pragma once

#include <algorithm>
#include <vector>

#include "kernels/functors/update.h"
#include "kernels/own/bind.h"
#include "kernels/sizes/update.h"

/// Maps elements of a flat buffer to tensors. The table is passed with the launch, so that none is kept in device
/// memory.
namespace ddlbench::kernels::own {

/// Contiguous segments. More than `capacity` segments are distributed over several launches.
struct SegmentTable {
  static constexpr int capacity = 96;
  std::int64_t begins[capacity + 1];
  std::int32_t tensors[capacity];
  bool exempts[capacity];
  int count;

  DDLBENCH_HOST_DEVICE std::int64_t begin() const { return begins[0]; }
  DDLBENCH_HOST_DEVICE std::int64_t end() const { return begins[count]; }
  /// Returns the segment that contains element i.
  DDLBENCH_DEVICE int find(std::int64_t i) const {
    int low = 0, high = count;  // begins[low] ≤ i < begins[high]
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (begins[middle] <= i ? low : high) = middle;
    }
    return low;
  }
};

inline std::vector<SegmentTable> tables_of(const std::vector<graph::UpdateSegment>& segments) {
  std::vector<SegmentTable> tables;
  for (const graph::UpdateSegment& segment : segments) {
    if (tables.empty() || tables.back().count == SegmentTable::capacity) tables.push_back({});
    SegmentTable& table = tables.back();
    table.begins[table.count] = segment.begin;
    table.begins[table.count + 1] = segment.end;
    table.tensors[table.count] = segment.tensor;
    table.exempts[table.count] = segment.exempt;
    ++table.count;
  }
  return tables;
}

/// Floats whose type is selected when they are loaded. The branch is the same for the whole grid, and memory access
/// takes much longer.
struct AnyFloats {
  const void* data;
  graph::DType dtype;

  template <int width>
  DDLBENCH_DEVICE Floats<width> load_at(std::int64_t i) const {
    if (dtype == graph::DType::bf16) return load<width>(static_cast<const Bfloat16*>(data) + i);
    if (dtype == graph::DType::f16) return load<width>(static_cast<const Float16*>(data) + i);
    return load<width>(static_cast<const float*>(data) + i);
  }
};

/// A 16-bit copy of the stored values; nothing is copied if `data` is null.
struct NarrowCopy {
  void* data;
  graph::DType dtype;

  template <int width>
  DDLBENCH_DEVICE void store_at(std::int64_t i, const Floats<width>& values) const {
    if (data == nullptr) return;
    if (dtype == graph::DType::bf16) return store<width>(static_cast<Bfloat16*>(data) + i, values);
    store<width>(static_cast<Float16*>(data) + i, values);
  }
};

/// The scalars of a step, computed once per team.
template <class Step>
struct StepAndGate {
  Step step;
  Gate<float> gate;
};

DDLBENCH_DEVICE auto step_of(auto& team, const auto& rule, const graph::Scalars* scalars, const graph::Guard& guard,
                             const float* squared_norm) {
  return team.first([&] {
    const Gate<float> gate(*scalars, guard, squared_norm);
    const auto step = rule.at(*scalars, gate.clip);
    return StepAndGate<decltype(rule.at(*scalars, gate.clip))>{step, gate};
  });
}

}  // namespace ddlbench::kernels::own
