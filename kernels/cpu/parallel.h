#pragma once

#include <algorithm>
#include <cstdint>

#include "base/independent.h"
#include "graph/tensor.h"

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace ddlbench::kernels::cpu {

/// The minimum work of each thread, in elements: with less, a thread costs more (some microseconds to start) than it
/// saves.
inline constexpr std::int64_t elements_per_thread = 1 << 15;

/// The cost of an exponential in plain elements, for dividing work among threads.
inline constexpr std::int64_t cost_of_exponential = 16;

/// Calls body(part, begin, end) for the parts of [0, size), on up to `threads` threads. `part` counts from 0, and
/// `elements` is the whole work in elements. `body` must not throw.
void parallel_parts(int threads, std::int64_t size, std::int64_t elements, const auto& body) {
  const auto useful = std::min(size, elements / elements_per_thread);
  const int parts = static_cast<int>(std::clamp<std::int64_t>(useful, 1, threads));
#if defined(_OPENMP)
  if (parts > 1) {
#pragma omp parallel for num_threads(parts) schedule(static, 1)
    for (int part = 0; part < parts; ++part) {
      const auto extent = graph::part_of(size, parts, part);
      body(part, extent.begin, extent.end);
    }
    return;
  }
#endif
  static_cast<void>(parts);
  body(0, std::int64_t{0}, size);
}

/// The same with body(begin, end), for bodies that need no memory per part.
void parallel_for(int threads, std::int64_t size, std::int64_t elements, const auto& body) {
  parallel_parts(threads, size, elements, [&body](int, auto begin, auto end) { body(begin, end); });
}

}  // namespace ddlbench::kernels::cpu
