#include "strategies/passes/replicate.h"

namespace ddlbench::strategies {

std::vector<Bucket> make_buckets(const std::vector<GradientRange>& ranges, const BucketSizes& sizes) {
  std::vector<Bucket> buckets;
  bool open = false;
  for (std::size_t i = ranges.size(); i-- > 0;) {
    const GradientRange& range = ranges[i];
    const bool tied = !range.holders.empty();
    if (!open || tied || buckets.back().partial_axes != range.partial_axes)
      buckets.push_back({range.end, range.end, range.partial_axes, {}, range.holders});
    Bucket& bucket = buckets.back();
    bucket.begin = range.begin;
    bucket.members.push_back(i);
    const std::int64_t limit = buckets.size() == 1 ? sizes.first_bytes : sizes.bytes;
    open = !tied && (bucket.partial_axes.empty() || bucket.bytes() < limit);
  }
  return buckets;
}

}  // namespace ddlbench::strategies
