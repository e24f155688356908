#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace ddlbench::program {

/// A map from half-open byte ranges to values, split where accesses begin and end. A visit takes time logarithmic in
/// the number of segments and linear in the number that it covers.
template <class T>
class IntervalMap {
 public:
  /// Calls visitor(begin, end, T&) for each segment of [begin, end) in order. Ranges that were never set hold T{}.
  void visit(std::int64_t begin, std::int64_t end, auto&& visitor) {
    if (begin >= end) return;
    split(begin);
    split(end);
    std::int64_t at = begin;
    auto next = segments_.lower_bound(begin);
    while (at < end) {
      if (next == segments_.end() || next->first > at) {
        const std::int64_t gap_end = next == segments_.end() ? end : std::min(end, next->first);
        next = segments_.emplace_hint(next, at, Segment{gap_end, T{}});
      }
      visitor(next->first, next->second.end, next->second.value);
      at = next->second.end;
      ++next;
    }
  }

  /// Sets [begin, end) to `value`, as one segment.
  void assign(std::int64_t begin, std::int64_t end, T value) {
    if (begin >= end) return;
    split(begin);
    split(end);
    segments_.erase(segments_.lower_bound(begin), segments_.lower_bound(end));
    segments_.emplace(begin, Segment{end, std::move(value)});
  }

  void visit_all(auto&& visitor) {
    for (auto& [begin, segment] : segments_) visitor(begin, segment.end, segment.value);
  }

 private:
  struct Segment {
    std::int64_t end;
    T value;
  };

  void split(std::int64_t at) {
    auto after = segments_.lower_bound(at);
    if (after == segments_.begin()) return;
    auto inside = std::prev(after);
    if (inside->second.end <= at) return;
    Segment upper = inside->second;
    inside->second.end = at;
    segments_.emplace_hint(after, at, std::move(upper));
  }

  std::map<std::int64_t, Segment> segments_;
};

}  // namespace ddlbench::program
