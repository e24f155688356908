#pragma once

#include <array>
#include <cstdint>

namespace ddlbench::kernels::cpu {

/// Returns Σ value(i) over [0, size). Uses 16 partial sums, which vectorise and are also more accurate than one.
float sum_in_lanes(std::int64_t size, const auto& value) {
  constexpr std::int64_t lanes = 16;
  std::array<float, lanes> partial{};
  std::int64_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    for (std::int64_t l = 0; l < lanes; ++l) partial[static_cast<std::size_t>(l)] += value(i + l);
  }
  float sum = 0;
  for (; i < size; ++i) sum += value(i);
  for (const float part : partial) sum += part;
  return sum;
}

}  // namespace ddlbench::kernels::cpu
