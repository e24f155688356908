#pragma once

#include <cstdint>

#include "kernels/own/bind.h"
#include "kernels/own/divider.h"
#include "kernels/own/team.h"
#include "kernels/rewrite/channel_blocks.h"

namespace ddlbench::kernels::own {

/// Reorders channel blocks to row-major or back. Both layouts are seen as chunks of the channels of a block, which are
/// [inner, block] in one layout and [block, inner] in the other.
template <class T>
struct ReorderBody {
  Divider chunk, columns;  ///< elements of a chunk, and of a row of a chunk in `from`
  std::int64_t chunks, rows;
  const T* from;
  T* to;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, chunks * chunk.divisor(), [&](std::int64_t i) {
      const std::int64_t within = chunk.remainder(i), row = columns.quotient(within);
      to[i - within + (within - row * columns.divisor()) * rows + row] = from[i];
    });
  }
};

std::unique_ptr<Kernel> bind_reorder(const Binding& binding, const auto& launcher) {
  const ReorderSizes z = sizes_of_reorder(binding);
  const std::int64_t block = z.from * z.to, elements = z.n * z.channels * z.inner;  // one of the two is 1
  const std::int64_t rows = z.from == 1 ? block : z.inner, columns = z.from == 1 ? z.inner : block;
  return make_kernel(binding, [=](const Arguments& a) {
    if (elements == 0) return;
    const auto launch = [&](auto element) {
      using T = decltype(element);
      const ReorderBody<T> body{Divider(rows * columns), Divider(columns),  elements / (rows * columns), rows,
                                input_of<T>(a, 0),       output_of<T>(a, 0)};
      launcher.items("reorder", elements, body);
    };
    if (z.element_bytes == 1) return launch(std::uint8_t{});
    if (z.element_bytes == 2) return launch(std::uint16_t{});
    launch(std::uint32_t{});
  });
}

}  // namespace ddlbench::kernels::own
