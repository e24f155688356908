#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ddlbench::strategies {

/// Identifies a copy of a parameter, or of a statistic, that several pipeline ranks hold.
struct Tie {
  int parameter = -1;        ///< equal for all copies; gives what is tied the same order on every rank
  std::vector<int> holders;  ///< pipeline ranks, ascending; empty: not tied
  int group = -1;            ///< what is tied in one group may be reduced in one call
};

/// The range of a parameter's gradient in the flat gradient buffer.
struct GradientRange {
  std::int64_t begin = 0;  ///< elements
  std::int64_t end = 0;
  std::vector<std::string> partial_axes;  ///< axes over which it must still be summed
  Tie tie = {};
  int unit = 0;  ///< gradients of different units never share a bucket
};

/// Consecutive gradients that are reduced in one call and updated in one launch: a range of elements of the flat
/// buffer, always a view and never a copy.
struct Bucket {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::vector<std::string> partial_axes;  ///< empty: nothing to reduce
  std::vector<std::size_t> members;       ///< indices of the ranges
  Tie tie = {};                           ///< that of its ranges
  int unit = 0;

  std::int64_t elements() const { return end - begin; }
  bool tied() const { return !tie.holders.empty(); }
};

/// Bucket sizes with the defaults of PyTorch's DistributedDataParallel: a small first bucket so that communication
/// begins early, then larger ones.
struct BucketSizes {
  std::int64_t first_bytes = std::int64_t{1} << 20;
  std::int64_t bytes = std::int64_t{25} << 20;
  bool limit_all = false;  ///< limit buckets that need no reduction, too
  bool is_buffer = false;  ///< the size of a buffer: a bucket of several gradients never exceeds it
};

/// Returns buckets that are filled from the last parameter, whose gradient is ready first, to the first. A bucket
/// closes when it reaches its size, or before it exceeds it if `sizes.is_buffer`, and where the axes or the unit
/// differ. Buckets that need no reduction are limited only if `sizes.limit_all`; otherwise each run of such gradients
/// is one bucket. A bucket has tied parameters of one group only, because all their holders must use the same bucket
/// boundaries.
std::vector<Bucket> make_buckets(const std::vector<GradientRange>& ranges, const BucketSizes& sizes,
                                 std::int64_t element_bytes);

}  // namespace ddlbench::strategies
