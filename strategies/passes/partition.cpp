#include "strategies/passes/partition.h"

#include <set>

namespace ddlbench::strategies {

namespace {

constexpr auto element = static_cast<std::int64_t>(sizeof(float));

}  // namespace

program::Operand flat(const program::View& view) {
  return {view, {{view.bytes / element}, graph::DType::f32}};
}

Shards::Shards(const FlatLayout& layout, const program::Mesh& mesh, Partition partition, graph::Extent coordinates)
    : partition_(std::move(partition)), ranks_(mesh.size_of(partition_.axis)), coordinates_(coordinates) {
  for (const Bucket& bucket : layout.buckets) {
    const std::int64_t elements = bucket.bytes() / element;
    const std::int64_t longer = elements % ranks_;  // the first ranks have one element more
    const bool long_part = coordinates.begin < longer;
    Own own{bucket.begin, bucket.end, bytes_, bucket.begin + (long_part ? 0 : longer * element),
            (elements / ranks_ + (long_part ? 1 : 0)) * element};
    bytes_ += own.bytes;
    own_.push_back(own);
  }
}

program::ShardAxis Shards::axis() const {
  if (!partition_.states()) return {};
  return {partition_.axis, coordinates_};
}

program::View Shards::in_shard(program::BufferId buffer, std::size_t bucket) const {
  const Own& own = own_[bucket];
  return {buffer, own.offset, own.bytes};
}

program::View Shards::in_whole(program::BufferId buffer, std::size_t bucket) const {
  const Own& own = own_[bucket];
  return {buffer, own.first, own.bytes, 0, own.bytes};
}

std::vector<std::int64_t> Shards::counts(std::size_t bucket) const {
  std::vector<std::int64_t> counts;
  const std::int64_t elements = (own_[bucket].end - own_[bucket].begin) / element;
  for (int i = 0; i < ranks_; ++i) counts.push_back(graph::part_of(elements, ranks_, i).size());
  return counts;
}

std::vector<program::Segment> Shards::segments_in_shard() const {
  std::vector<program::Segment> segments;
  for (const Own& own : own_) segments.push_back({own.begin, own.end, own.offset});
  return segments;
}

std::vector<program::Segment> Shards::segments_in_whole() const {
  std::vector<program::Segment> segments;
  for (const Own& own : own_) segments.push_back({own.begin, own.end, own.first, own.bytes});
  return segments;
}

std::vector<graph::Extent> equal_shards(const FlatLayout& layout, const program::Mesh& mesh,
                                        const Partition& partition) {
  const int ranks = mesh.size_of(partition.axis);
  if (!partition.states()) return {{0, ranks}};
  std::set<std::int64_t> cuts{0, ranks};
  for (const Bucket& bucket : layout.buckets) cuts.insert(bucket.bytes() / element % ranks);
  std::vector<graph::Extent> runs;
  for (auto cut = cuts.begin(); std::next(cut) != cuts.end(); ++cut) runs.push_back({*cut, *std::next(cut)});
  return runs;
}

}  // namespace ddlbench::strategies
