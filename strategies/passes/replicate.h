#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ddlbench::strategies {

/// A parameter's gradient in the flat gradient buffer.
struct GradientRange {
  std::int64_t begin = 0;  ///< bytes
  std::int64_t end = 0;
  std::vector<std::string> partial_axes;  ///< over which it is still to be summed
  std::vector<int> holders = {};          ///< of a tied parameter: the ranks of the pipeline that share it
};

/// Consecutive gradients that are reduced in one call and updated in one launch: a byte range of the flat
/// buffer, a view and never a copy.
struct Bucket {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::vector<std::string> partial_axes;  ///< empty: nothing to reduce
  std::vector<std::size_t> members;       ///< indices of the ranges
  std::vector<int> holders = {};          ///< as of its ranges

  std::int64_t bytes() const { return end - begin; }
  bool tied() const { return !holders.empty(); }
};

/// Bucket sizes as PyTorch's DistributedDataParallel has them: a small first one so that communication
/// begins early, then larger ones.
struct BucketSizes {
  std::int64_t first_bytes = std::int64_t{1} << 20;
  std::int64_t bytes = std::int64_t{25} << 20;
};

/// Fills buckets from the last parameter, whose gradient is ready first, to the first. A bucket closes
/// when it reaches its size, and where the axes differ. What need not be reduced is one bucket per run. A tied
/// parameter is a bucket of its own: its holders must cut alike.
std::vector<Bucket> make_buckets(const std::vector<GradientRange>& ranges, const BucketSizes& sizes);

}  // namespace ddlbench::strategies
