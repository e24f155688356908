#pragma once

#include <cstdint>

namespace ddlbench::kernels {

/// Up to so many bytes kernels tell the alignment of addresses apart: the widest load of a thread. cuDNN 9.19 names the
/// same engines for 16 bytes as for 32, 64, 128 and 256, on sm_80, sm_90 and sm_100.
inline constexpr std::int64_t full_alignment = 16;

/// The greatest power of two, up to that, that divides both.
constexpr std::int64_t alignment_of(std::int64_t bytes, std::int64_t more_bytes = 0) {
  const std::int64_t bits = bytes | more_bytes | full_alignment;
  return bits & -bits;
}

}  // namespace ddlbench::kernels
