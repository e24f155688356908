#pragma once

#include <cstdint>

namespace ddlbench::kernels {

/// The largest alignment of addresses, in bytes, that kernels distinguish: the width of the widest load of a GPU
/// thread. cuDNN 9.19 offers the same engines for 16 bytes as for 32, 64, 128 and 256, on sm_80, sm_90 and sm_100.
inline constexpr std::int64_t full_alignment = 16;

/// Returns the greatest power of two, at most full_alignment, that divides both arguments.
constexpr std::int64_t alignment_of(std::int64_t bytes, std::int64_t more_bytes = 0) {
  const std::int64_t bits = bytes | more_bytes | full_alignment;
  return bits & -bits;
}

}  // namespace ddlbench::kernels
