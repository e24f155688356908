#include "kernels/cpu/loops.h"

#include <array>

#include "kernels/cpu/parallel.h"

namespace ddlbench::kernels::cpu {
namespace {

/// In `lanes` partial sums, which is also more exact than one.
float sum_of(const float* x, std::int64_t size) {
  constexpr std::int64_t lanes = 16;
  std::array<float, lanes> partial{};
  std::int64_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    for (std::int64_t l = 0; l < lanes; ++l) partial[static_cast<std::size_t>(l)] += x[i + l];
  }
  float sum = 0;
  for (; i < size; ++i) sum += x[i];
  for (const float part : partial) sum += part;
  return sum;
}

void sum_rows(const AroundDimension& z, std::int64_t begin, std::int64_t end, const float* x, float* sums,
              bool accumulate) {
  for (std::int64_t d = begin; d < end; ++d) {
    float sum = accumulate ? sums[d] : 0;
    for (std::int64_t o = 0; o < z.outer; ++o) sum += sum_of(x + (o * z.size + d) * z.inner, z.inner);
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
