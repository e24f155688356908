#pragma once

#include <string>
#include <vector>

#include "graph/op.h"

namespace ddlbench::program {

/// Elements of a parameter's gradient, in the device's order.
struct GradientElements {
  std::string tensor;
  graph::Extent elements;
};

/// How the gradients of the data-parallel ranks become the gradient of an update, for elements that are encoded
/// together. `encode` and `decode` are graph::Encode and graph::Decode of all elements and one payload.
struct BucketRule {
  std::vector<GradientElements> parts;  ///< in the order in which they are encoded
  graph::OpPtr encode, decode;          ///< of the gradient of each rank, before the sum; null: it is summed as it is
  graph::OpPtr encode_sum, decode_sum;  ///< of the sum; null: it is used as it is
};

/// What a strategy that is not exact promises: each rank computes the gradient of its own part of every micro-batch,
/// from weights that are equal on all ranks. The gradient of each rank, or that of each of its micro-batches, becomes
/// decode(encode(…)) of it; the update uses the sum of all, in the order of the ranks, which may be encoded and decoded
/// again. The rule says so without any program, so that a one-rank run can be held against it (bench/case/replay.h).
struct UpdateRule {
  int ranks = 1;                    ///< that have different samples
  bool each_microbatch = false;     ///< the gradients of micro-batches are encoded apart
  std::vector<BucketRule> buckets;  ///< cover every element of every gradient once
};

}  // namespace ddlbench::program
