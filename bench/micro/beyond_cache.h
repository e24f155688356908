#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "kernels/device.h"
#include "kernels/gpu_info.h"

namespace ddlbench::micro {

/// A working set of so many times a cache finds next to nothing of what it left there: of operands that are gone over
/// again and again, and places that are taken by chance, about e⁻⁴.
constexpr std::int64_t caches_of_a_working_set = 4;

/// By which power of two operands of `bytes` together have to grow to be so many times the cache.
constexpr std::int64_t growth_beyond(std::int64_t cache_bytes, std::int64_t bytes) {
  std::int64_t growth = 1;
  while (growth * bytes < caches_of_a_working_set * cache_bytes) growth *= 2;
  return growth;
}

/// The largest cache that is known of a device: a GPU's L2, a processor's L3; 0: none is.
inline std::int64_t cache_bytes(const kernels::Device& device) {
  if (!device.asynchronous()) return std::max(::sysconf(_SC_LEVEL3_CACHE_SIZE), ::sysconf(_SC_LEVEL2_CACHE_SIZE));
  std::int64_t largest = 0;
  for (const auto& gpu : kernels::seen_gpus()) largest = std::max(largest, gpu.l2_cache_bytes);
  return largest;
}

}  // namespace ddlbench::micro
