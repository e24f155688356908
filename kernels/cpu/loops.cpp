#include "kernels/cpu/loops.h"

#include <array>

#include "kernels/cpu/lanes.h"
#include "kernels/cpu/parallel.h"
#include "kernels/own/bind.h"

namespace ddlbench::kernels::cpu {
namespace {

using own::from_f32;
using own::to_f32;

template <class T>
void sum_contiguous(const AroundDimension& z, std::int64_t begin, std::int64_t end, const T* x, T* sums,
                    bool accumulate) {
  for (std::int64_t d = begin; d < end; ++d) {
    float sum = accumulate ? to_f32(sums[d]) : 0;
    for (std::int64_t o = 0; o < z.outer; ++o) {
      const T* run = x + (o * z.size + d) * z.inner;
      sum += sum_in_lanes(z.inner, [run](std::int64_t i) { return to_f32(run[i]); });
    }
    sums[d] = from_f32<T>(sum);
  }
}

template <class T>
void sum_strided(const AroundDimension& z, std::int64_t begin, std::int64_t end, const T* x, T* sums, bool accumulate) {
  constexpr std::int64_t at_once = 256;
  for (std::int64_t first = begin; first < end; first += at_once) {
    const std::int64_t columns = std::min(at_once, end - first);
    std::array<float, at_once> sum{};
    for (std::int64_t d = 0; accumulate && d < columns; ++d) sum[static_cast<std::size_t>(d)] = to_f32(sums[first + d]);
    for (std::int64_t o = 0; o < z.outer; ++o) {
      const T* run = x + o * z.size + first;
      for (std::int64_t d = 0; d < columns; ++d) sum[static_cast<std::size_t>(d)] += to_f32(run[d]);
    }
    for (std::int64_t d = 0; d < columns; ++d) sums[first + d] = from_f32<T>(sum[static_cast<std::size_t>(d)]);
  }
}

}  // namespace

void add_to(int threads, graph::DType dtype, void* target, const float* source, std::int64_t size) {
  own::with_storage(dtype, [&]<class T>(own::StorageTag<T>) {
    auto* to = static_cast<T*>(target);
    parallel_for(threads, size, size, [=](std::int64_t begin, std::int64_t end) {
      DDLBENCH_INDEPENDENT
      for (std::int64_t i = begin; i < end; ++i) to[i] = from_f32<T>(to_f32(to[i]) + source[i]);
    });
  });
}

void sum_around(int threads, const AroundDimension& z, graph::DType dtype, const void* x, void* sums, bool accumulate) {
  own::with_storage(dtype, [&]<class T>(own::StorageTag<T>) {
    const auto* from = static_cast<const T*>(x);
    auto* to = static_cast<T*>(sums);
    parallel_for(threads, z.size, z.elements(), [&](std::int64_t begin, std::int64_t end) {
      if (z.inner == 1) {
        sum_strided(z, begin, end, from, to, accumulate);
      } else {
        sum_contiguous(z, begin, end, from, to, accumulate);
      }
    });
  });
}

}  // namespace ddlbench::kernels::cpu
