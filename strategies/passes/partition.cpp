#include "strategies/passes/partition.h"

#include <set>

#include "base/error.h"

namespace ddlbench::strategies {

program::Operand flat(program::BufferId buffer, graph::DType dtype, graph::Extent elements, std::int64_t stride) {
  const auto bytes = static_cast<std::int64_t>(graph::size_of(dtype));
  return {{buffer, elements.begin * bytes, elements.size() * bytes, 0, stride * bytes}, {{elements.size()}, dtype}};
}

Shards::Shards(const FlatLayout& layout, const program::Mesh& mesh, Partition partition, graph::Extent coordinates)
    : partition_(std::move(partition)), ranks_(mesh.size_of(partition_.axis)), coordinates_(coordinates) {
  for (const Bucket& bucket : layout.buckets) {
    const std::int64_t longer = bucket.elements() % ranks_;  // the first ranks have one element more
    const bool long_part = coordinates.begin < longer;
    Own own{bucket.begin, bucket.end, elements_, bucket.begin + (long_part ? 0 : longer),
            bucket.elements() / ranks_ + (long_part ? 1 : 0)};
    elements_ += own.size;
    own_.push_back(own);
  }
}

program::ShardAxis Shards::axis() const {
  if (!partition_.divides()) return {};
  return {partition_.axis, coordinates_};
}

program::Operand Shards::own(const FlatBuffer& buffer, std::size_t bucket) const {
  return partition_.states() ? part(buffer, bucket) : whole(buffer, bucket);
}

program::Operand Shards::part(const FlatBuffer& buffer, std::size_t bucket) const {
  const Own& own = own_[bucket];
  if (buffer.sharded) return flat(buffer.id, buffer.dtype, {own.offset, own.offset + own.size});
  return flat(buffer.id, buffer.dtype, {own.first, own.first + own.size}, own.size);
}

program::Operand Shards::whole(const FlatBuffer& buffer, std::size_t bucket) const {
  require(!buffer.sharded, "a sharded buffer is used as a whole");
  return flat(buffer.id, buffer.dtype, {own_[bucket].begin, own_[bucket].end});
}

graph::Extent Shards::own_elements(std::size_t bucket) const {
  const Own& own = own_[bucket];
  if (!partition_.states()) return {own.begin, own.end};
  require(coordinates_.size() == 1, "several ranks run one program over different elements");
  const std::int64_t begin = own.first + coordinates_.begin * own.size;
  return {begin, begin + own.size};
}

std::vector<std::int64_t> Shards::counts(std::size_t bucket) const {
  std::vector<std::int64_t> counts;
  const std::int64_t elements = own_[bucket].end - own_[bucket].begin;
  for (int i = 0; i < ranks_; ++i) counts.push_back(graph::part_of(elements, ranks_, i).size());
  return counts;
}

std::vector<program::Segment> Shards::segments(const FlatBuffer& buffer) const {
  std::vector<program::Segment> segments;
  for (const Own& own : own_) {
    if (buffer.sharded)
      segments.push_back({own.begin, own.end, own.offset});
    else
      segments.push_back({own.begin, own.end, own.first, own.size});
  }
  return segments;
}

std::vector<graph::Extent> equal_shards(const FlatLayout& layout, const program::Mesh& mesh, const Partition& partition,
                                        bool apart) {
  const int ranks = mesh.size_of(partition.axis);
  if (!partition.divides()) return {{0, ranks}};
  std::set<std::int64_t> cuts{0, ranks};
  for (const Bucket& bucket : layout.buckets) cuts.insert(bucket.elements() % ranks);
  if (apart && partition.states())
    for (int rank = 0; rank < ranks; ++rank) cuts.insert(rank);
  std::vector<graph::Extent> runs;
  for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) runs.push_back({*cut, *std::next(cut)});
  return runs;
}

}  // namespace ddlbench::strategies
