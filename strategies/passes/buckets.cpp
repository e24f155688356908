#include "strategies/passes/buckets.h"

namespace ddlbench::strategies {

std::vector<Bucket> make_buckets(const std::vector<GradientRange>& ranges, const BucketSizes& sizes,
                                 std::int64_t element_bytes) {
  std::vector<Bucket> buckets;
  const auto is_limited = [&sizes](const Bucket& bucket) {
    return !bucket.tied() && (sizes.limit_all || !bucket.partial_axes.empty());
  };
  bool open = false;
  std::size_t limited = 0;
  const auto limit = [&] { return limited == 1 ? sizes.first_bytes : sizes.bytes; };
  const auto overflows = [&](const Bucket& bucket, const GradientRange& next) {
    return sizes.is_buffer && is_limited(bucket) && (bucket.end - next.begin) * element_bytes > limit();
  };
  for (std::size_t i = ranges.size(); i-- > 0;) {
    const GradientRange& range = ranges[i];
    if (!open || buckets.back().tie.group != range.tie.group || buckets.back().partial_axes != range.partial_axes ||
        buckets.back().unit != range.unit || overflows(buckets.back(), range)) {
      buckets.push_back({range.end, range.end, range.partial_axes, {}, range.tie, range.unit});
      if (is_limited(buckets.back())) ++limited;
    }
    Bucket& bucket = buckets.back();
    bucket.begin = range.begin;
    bucket.members.push_back(i);
    open = !is_limited(bucket) || bucket.elements() * element_bytes < limit();
  }
  return buckets;
}

}  // namespace ddlbench::strategies
