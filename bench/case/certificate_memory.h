#pragma once

#include <cstdint>

#include "bench/case/reference.h"
#include "bench/case/setup.h"
#include "platform/available_memory.h"

namespace ddlbench::bench {

// A certificate must not make a case run out of host memory. So the host memory that it needs is computed and compared
// with what is available before anything is allocated. With, in bytes,
//   E  what a rank's device allocates (program::account); 0 where the device has memory of its own
//   L  what a rank's loader holds in training
//   T  a trace: 4 · (3 P + 2 S) for P parameters (before, after, gradients) and S running statistics
//   W  the largest tensor as f32: a second copy exists while it is gathered
//   B  64 MiB for libraries (docs/measuring.md#memory measured 10 to 60 MB)
// the one-rank reference needs, while its second run is compared with its first,
//   E + L + 2 T + W + B
// and then the case, with the reference's trace still in memory, needs the following, summed over the ranks of rank 0's
// process and, separately, over all ranks on its machine:
//   ΣE + ΣL + T + W + B

/// Bytes of a model's parameters, of its running statistics, and of the largest tensor among them, all as f32.
struct ModelBytes {
  std::int64_t parameters = 0;
  std::int64_t statistics = 0;
  std::int64_t largest = 0;

  std::int64_t trace() const { return 3 * parameters + 2 * statistics; }  ///< T
};
ModelBytes bytes_of(const graph::Graph& model);

/// B: libraries and the like, which no plan contains.
inline constexpr std::int64_t library_overhead_bytes = std::int64_t{64} << 20;

/// Returns E + L of a rank of a completed plan.
std::int64_t host_bytes_of_rank(const Setup& setup, const program::Plan& plan, int rank);

/// Returns whether rank 0 has a reference and enough memory to compare the completed plan with it. If not, rank 0's
/// `reference.missing` says why and its trace is freed. The result is the same on all ranks. Collective.
bool has_certificate(const Setup& setup, const program::Plan& plan, comm::Communicator& communicator,
                     Reference& reference, const platform::MemoryProbe& memory);

}  // namespace ddlbench::bench
