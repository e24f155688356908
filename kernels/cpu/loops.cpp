#include "kernels/cpu/loops.h"

#include "kernels/cpu/lanes.h"
#include "kernels/cpu/parallel.h"

namespace ddlbench::kernels::cpu {
namespace {

void sum_rows(const AroundDimension& z, std::int64_t begin, std::int64_t end, const float* x, float* sums,
              bool accumulate) {
  for (std::int64_t d = begin; d < end; ++d) {
    float sum = accumulate ? sums[d] : 0;
    for (std::int64_t o = 0; o < z.outer; ++o) {
      const float* run = x + (o * z.size + d) * z.inner;
      sum += sum_in_lanes(z.inner, [run](std::int64_t i) { return run[i]; });
    }
    sums[d] = sum;
  }
}

void sum_columns(const AroundDimension& z, std::int64_t begin, std::int64_t end, const float* x, float* sums,
                 bool accumulate) {
  if (!accumulate) std::fill(sums + begin, sums + end, 0.0f);
  for (std::int64_t o = 0; o < z.outer; ++o) {
    DDLBENCH_INDEPENDENT
    for (std::int64_t d = begin; d < end; ++d) sums[d] += x[o * z.size + d];
  }
}

}  // namespace

void add_to(int threads, float* target, const float* source, std::int64_t size) {
  parallel_for(threads, size, size, [=](std::int64_t begin, std::int64_t end) {
    DDLBENCH_INDEPENDENT
    for (std::int64_t i = begin; i < end; ++i) target[i] += source[i];
  });
}

void sum_around(int threads, const AroundDimension& z, const float* x, float* sums, bool accumulate) {
  parallel_for(threads, z.size, z.elements(), [&](std::int64_t begin, std::int64_t end) {
    if (z.inner == 1) {
      sum_columns(z, begin, end, x, sums, accumulate);
    } else {
      sum_rows(z, begin, end, x, sums, accumulate);
    }
  });
}

}  // namespace ddlbench::kernels::cpu
