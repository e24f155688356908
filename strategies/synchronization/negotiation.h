#pragma once

#include "strategies/passes/cycles.h"
#include "strategies/synchronization/bucket_stage.h"

namespace ddlbench::strategies {

/// Adds a persistent buffer for the marks of all cycles, one for each gradient and cycle. Call before anything creates
/// a transient buffer.
program::Operand add_marks(const BucketContext& in, const Cycles& cycles);

/// Appends the negotiation of cycle `index`: an op marks the gradients that have become ready on this rank, and an
/// all-reduce over the ranks with other samples finds those that are ready on all of them. The op runs on the compute
/// stream, so that no negotiation is sent before its gradients exist.
void append_negotiation(const BucketContext& in, const Cycles& cycles, const program::Operand& marks,
                        std::size_t index);

/// Appends what makes an element of `gradient` NaN unless the ranks have agreed about every gradient.
void append_confirmation(const BucketContext& in, const program::Operand& marks, program::Operand gradient);

}  // namespace ddlbench::strategies
