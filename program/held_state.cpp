#include <algorithm>

#include "program/plan.h"

namespace ddlbench::program {
namespace {

constexpr std::int64_t element_bytes = 4;

int ranks_of_axis(const Plan& plan, int rank) {
  const Role& role = plan.role(rank);
  return plan.meshes[static_cast<std::size_t>(role.mesh)].size_of(role.train.shard_axis.name);
}

/// The bytes of the whole that lie in a rank's part of a segment.
graph::Extent own_part(const Segment& segment, int parts, int index) {
  const graph::Extent part = graph::part_of(segment.end - segment.begin, parts, index, element_bytes);
  return {segment.begin + part.begin, segment.begin + part.end};
}

}  // namespace

int shard_coordinate(const Plan& plan, int rank) {
  const Role& role = plan.role(rank);
  const Mesh& mesh = plan.meshes[static_cast<std::size_t>(role.mesh)];
  const auto axis = mesh.find(role.train.shard_axis.name);
  return axis ? mesh.coordinates_of(rank)[static_cast<std::size_t>(*axis)] : 0;
}

std::vector<HeldState> held_state(const Plan& plan, int rank) {
  const Role& role = plan.role(rank);
  const int parts = ranks_of_axis(plan, rank), index = shard_coordinate(plan, rank);
  std::vector<HeldState> held;
  for (const StateShard& shard : role.state) {
    const auto sharded = role.shards.find(shard.view.buffer);
    if (sharded == role.shards.end()) {
      held.push_back({&shard, {0, shard.view.bytes / element_bytes}, shard.view});
      continue;
    }
    for (const Segment& segment : sharded->second) {
      const graph::Extent own = own_part(segment, parts, index);
      const std::int64_t begin = std::max(own.begin, shard.view.offset);
      const std::int64_t end = std::min(own.end, shard.view.offset + shard.view.bytes);
      if (begin >= end) continue;
      held.push_back({&shard,
                      {(begin - shard.view.offset) / element_bytes, (end - shard.view.offset) / element_bytes},
                      {shard.view.buffer, segment.offset + segment.stride * index + begin - own.begin, end - begin, shard.view.age}});
    }
  }
  return held;
}

}  // namespace ddlbench::program
