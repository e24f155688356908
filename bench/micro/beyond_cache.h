#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "kernels/device.h"
#include "kernels/gpu_info.h"

namespace ddlbench::micro {

/// How many times larger than a cache a working set must be for the cache to hold almost nothing of it: about e⁻⁴ for
/// operands that are traversed repeatedly, with random cache placement.
constexpr std::int64_t caches_of_a_working_set = 4;

/// Returns the power of two by which operands of `bytes` in total must grow to be that many times larger than the
/// cache.
constexpr std::int64_t growth_beyond(std::int64_t cache_bytes, std::int64_t bytes) {
  std::int64_t growth = 1;
  while (growth * bytes < caches_of_a_working_set * cache_bytes) growth *= 2;
  return growth;
}

/// Returns the largest known cache of a device, in bytes: a GPU's L2 or a processor's L3; 0 if unknown.
inline std::int64_t cache_bytes(const kernels::Device& device) {
  if (!device.asynchronous()) return std::max(::sysconf(_SC_LEVEL3_CACHE_SIZE), ::sysconf(_SC_LEVEL2_CACHE_SIZE));
  std::int64_t largest = 0;
  for (const auto& gpu : kernels::cached_gpus()) largest = std::max(largest, gpu.l2_cache_bytes);
  return largest;
}

}  // namespace ddlbench::micro
