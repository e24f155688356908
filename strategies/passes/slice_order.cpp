#include "strategies/passes/slice_order.h"

#include <fmt/core.h>
#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>

#include "base/number.h"
#include "strategies/passes/op_times.h"

namespace ddlbench::strategies {
namespace {

/// A slice that is ready, or will be.
struct Pending {
  double ready = 0;        ///< seconds from the step's begin
  std::size_t reader = 0;  ///< the op that reads its parameters first
  Slice slice;
};

/// Orders a queue by urgency; slices of equal urgency by their place.
struct LessUrgent {
  bool operator()(const Pending& a, const Pending& b) const {
    return std::tie(a.reader, a.slice.bucket, a.slice.index) > std::tie(b.reader, b.slice.bucket, b.slice.index);
  }
};

std::int64_t element_bytes(const FlatLayout& layout) {
  return static_cast<std::int64_t>(graph::size_of(layout.dtype));
}

/// Returns the slices of all buckets, by the time at which they are ready.
std::vector<Pending> slices_of(const FlatLayout& layout, const OpTimes& times, const std::vector<std::size_t>& makers,
                               const std::vector<std::size_t>& reader_of_bucket, std::int64_t slice_bytes) {
  std::vector<Pending> slices;
  const std::int64_t most = std::max<std::int64_t>(1, slice_bytes / element_bytes(layout));
  for (std::size_t b = 0; b < layout.buckets.size(); ++b) {
    const Bucket& bucket = layout.buckets[b];
    double ready = 0;
    for (const std::size_t member : bucket.members) ready = std::max(ready, times.ends[makers[member]]);
    const auto count = static_cast<int>((bucket.elements() + most - 1) / most);
    for (int i = 0; i < count; ++i)
      slices.push_back({ready, reader_of_bucket[b], {b, i, graph::part_of(bucket.elements(), count, i)}});
  }
  std::stable_sort(slices.begin(), slices.end(), [](const Pending& a, const Pending& b) { return a.ready < b.ready; });
  return slices;
}

}  // namespace

SliceOrder find_slice_order(const program::Program& training, const FlatLayout& layout, const program::CostTable& costs,
                            const SliceSpec& spec) {
  const OpTimes times = op_times(training, costs);
  const std::vector<std::size_t> readers = first_readers(times, training, layout);
  std::vector<std::size_t> reader_of_bucket;
  for (const Bucket& bucket : layout.buckets) {
    std::size_t first = times.ops.size();
    for (const std::size_t member : bucket.members) first = std::min(first, readers[member]);
    reader_of_bucket.push_back(first);
  }
  SliceOrder order;
  order.measured = times.measured;
  order.update_order.resize(layout.buckets.size());
  std::iota(order.update_order.begin(), order.update_order.end(), std::size_t{0});
  std::stable_sort(order.update_order.begin(), order.update_order.end(),
                   [&](std::size_t a, std::size_t b) { return reader_of_bucket[a] < reader_of_bucket[b]; });

  const std::vector<Pending> slices =
      slices_of(layout, times, gradient_makers(times, training, layout), reader_of_bucket, spec.slice_bytes);
  const double sent_per_byte = 2.0 * (spec.ranks - 1) / spec.ranks;
  std::priority_queue<Pending, std::vector<Pending>, LessUrgent> ready;
  double now = 0;
  for (auto next = slices.begin(); next != slices.end() || !ready.empty();) {
    if (ready.empty()) now = std::max(now, next->ready);
    for (; next != slices.end() && next->ready <= now; ++next) ready.push(*next);
    Slice slice = ready.top().slice;
    ready.pop();
    slice.ops =
        static_cast<std::size_t>(std::upper_bound(times.ends.begin(), times.ends.end(), now) - times.ends.begin());
    (slice.ops < times.ops.size() ? order.in_backward : order.in_next_step).push_back(slice);
    now += static_cast<double>(slice.elements.size() * element_bytes(layout)) * sent_per_byte / spec.bytes_per_second;
  }
  return order;
}

std::string describe(const SliceOrder& order, double bytes_per_second) {
  const std::size_t all = order.in_backward.size() + order.in_next_step.size();
  return fmt::format("all-reduces: {} by priority, {} of them in the next step, for links of {} Gbit/s", all,
                     order.in_next_step.size(), to_text(bytes_per_second * 8e-9)) +
         remark_on_times(order.measured);
}

}  // namespace ddlbench::strategies
