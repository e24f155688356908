#pragma once

#include <map>

#include "strategies/synchronization/bucket_stage.h"

namespace ddlbench::strategies {

/// Returns what an update must know of the parameters that this rank updates in a bucket.
graph::UpdateSite update_site(const BucketContext& in, std::size_t index);

/// Appends the computation of the norm of all gradients of the model, on every rank. Every element counts once, however
/// many ranks hold it. `gradients`: the final gradient of each bucket on this rank.
void append_global_norm(const BucketContext& in, const std::vector<program::Operand>& gradients);

/// Appends the optimizer's measure op for the site's bucket, and the sum of its norms over all ranks that hold a part.
/// Returns the norms.
program::Operand append_tensor_norms(BucketSite& site);

/// Appends the update of the loss scale. Call after everything that reads this step's scale.
void append_loss_scale_update(const BucketContext& in);

}  // namespace ddlbench::strategies
