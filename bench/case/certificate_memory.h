#pragma once

#include <cstdint>

#include "bench/case/reference.h"
#include "bench/case/setup.h"
#include "platform/available_memory.h"

namespace ddlbench::bench {

// A certificate is not worth a case that dies of it: what it takes of the host's memory is worked out, and held against
// what is available, before it is taken. In bytes, with
//   E  that a rank's device hands out (program::account); 0 where its memory is apart from the host's
//   L  that a rank's loader holds in training
//   T  of a trace: 4 · (3 P + 2 S), of P parameters (before, after, gradients) and S running statistics
//   W  of the largest tensor as f32: a second copy while it is gathered
//   B  64 MiB for libraries (docs/measuring.md#memory has found 10 to 60 MB)
// the one-rank reference takes, while its second run is held against the first,
//   E + L + 2 T + W + B
// and then the case, beside the reference's trace, over the ranks of rank 0's process and over those of its machine,
//   ΣE + ΣL + T + W + B

/// P, S and the largest, each as f32.
struct ModelBytes {
  std::int64_t parameters = 0;
  std::int64_t statistics = 0;
  std::int64_t largest = 0;

  std::int64_t trace() const { return 3 * parameters + 2 * statistics; }  ///< T
};
ModelBytes bytes_of(const graph::Graph& model);

/// B
inline constexpr std::int64_t beside_plan_bytes = std::int64_t{64} << 20;

/// E + L of a rank of a completed plan.
std::int64_t host_bytes_of_rank(const Setup& setup, const program::Plan& plan, int rank);

/// Whether rank 0 has a reference, and the memory to hold the completed plan against it; if not, `reference` (of rank
/// 0) says why, and its trace is gone. The same on all ranks. Collective.
bool has_certificate(const Setup& setup, const program::Plan& plan, comm::Communicator& communicator,
                     Reference& reference, const platform::MemoryProbe& memory);

}  // namespace ddlbench::bench
