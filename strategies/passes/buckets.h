#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ddlbench::strategies {

/// One of several copies of a parameter.
struct Tie {
  int parameter = -1;        ///< the same of all copies, an order of the tied parameters on every rank
  std::vector<int> holders;  ///< ranks of the pipeline, ascending; empty: not tied
};

/// A parameter's gradient in the flat gradient buffer.
struct GradientRange {
  std::int64_t begin = 0;  ///< elements
  std::int64_t end = 0;
  std::vector<std::string> partial_axes;  ///< over which it is still to be summed
  Tie tie = {};
  int unit = 0;  ///< gradients of different units are never in one bucket
};

/// Consecutive gradients that are reduced in one call and updated in one launch: a range of the flat buffer's
/// elements, a view and never a copy.
struct Bucket {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::vector<std::string> partial_axes;  ///< empty: nothing to reduce
  std::vector<std::size_t> members;       ///< indices of the ranges
  Tie tie = {};                           ///< as of its ranges
  int unit = 0;

  std::int64_t elements() const { return end - begin; }
  bool tied() const { return !tie.holders.empty(); }
};

/// Bucket sizes as PyTorch's DistributedDataParallel has them: a small first one so that communication
/// begins early, then larger ones.
struct BucketSizes {
  std::int64_t first_bytes = std::int64_t{1} << 20;
  std::int64_t bytes = std::int64_t{25} << 20;
  bool limit_all = false;  ///< those that need not be reduced, too
};

/// Fills buckets from the last parameter, whose gradient is ready first, to the first. A bucket closes
/// when it reaches its size, and where the axes or the unit differ. Unless all are limited, what need not be reduced is
/// one bucket per run. A tied parameter is a bucket of its own: its holders must cut alike.
std::vector<Bucket> make_buckets(const std::vector<GradientRange>& ranges, const BucketSizes& sizes,
                                 std::int64_t element_bytes);

}  // namespace ddlbench::strategies
