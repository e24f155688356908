#pragma once

#include "program/plan.h"

namespace ddlbench::program {

/// Returns the samples of the global batch that an input slot of `rank` holds of a micro-batch: the rank's part of
/// part_of(global batch, micro-batches, microbatch). Parts are in the order of the ranks' coordinates on the slot's
/// axes, and have the sizes of the plan's shares, or equal ones. So all stages of a pipeline have the same samples in a
/// micro-batch. Throws ContractError if the axes do not fit the shares.
graph::Extent samples_of(const Plan& plan, int rank, const InputSlot& slot, int microbatch);

}  // namespace ddlbench::program
