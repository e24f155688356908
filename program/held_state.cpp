#include <fmt/core.h>
#include <algorithm>

#include "program/plan.h"

namespace ddlbench::program {
namespace {

int ranks_of_axis(const Plan& plan, int rank) {
  const Role& role = plan.role(rank);
  return plan.meshes[static_cast<std::size_t>(role.mesh)].size_of(role.train.shard_axis.name);
}

/// Returns the elements of the whole buffer that lie in one rank's part of a segment.
graph::Extent own_part(const Segment& segment, int parts, int index) {
  const graph::Extent part = graph::part_of(segment.end - segment.begin, parts, index);
  return {segment.begin + part.begin, segment.begin + part.end};
}

}  // namespace

int shard_coordinate(const Plan& plan, int rank) {
  const Role& role = plan.role(rank);
  const Mesh& mesh = plan.meshes[static_cast<std::size_t>(role.mesh)];
  const auto axis = mesh.find(role.train.shard_axis.name);
  return axis ? mesh.coordinates_of(rank)[static_cast<std::size_t>(*axis)] : 0;
}

std::string HeldState::tensor() const {
  return shard->copies == Copies::own ? of_rank(shard->tensor, rank) : shard->tensor;
}

std::string of_rank(const std::string& state, int rank) {
  return fmt::format("{}@{}", state, rank);
}

std::string of_all_ranks(const std::string& state) {
  return state + "@all";
}

std::optional<std::string> parameter_of_master(const std::string& tensor) {
  const std::string suffix = master_suffix;
  const std::size_t end = tensor.find('@');
  const std::string name = tensor.substr(0, end);
  if (!name.ends_with(suffix)) return std::nullopt;
  return name.substr(0, name.size() - suffix.size()) + (end == std::string::npos ? "" : tensor.substr(end));
}

bool is_strategy_state(const std::string& tensor) {
  return tensor.find('@') != std::string::npos;
}

std::vector<HeldState> held_state(const Plan& plan, int rank) {
  const Role& role = plan.role(rank);
  const int parts = ranks_of_axis(plan, rank), index = shard_coordinate(plan, rank);
  std::vector<HeldState> held;
  for (const StateShard& shard : role.state) {
    const auto bytes = static_cast<std::int64_t>(graph::size_of(shard.whole.dtype));
    const graph::Extent all{shard.view.offset / bytes, (shard.view.offset + shard.view.bytes) / bytes};
    const auto sharded = role.shards.find(shard.view.buffer);
    if (sharded == role.shards.end()) {
      held.push_back({&shard, {0, all.size()}, shard.view, rank});
      continue;
    }
    for (const Segment& segment : sharded->second) {
      const graph::Extent own = own_part(segment, parts, index);
      const std::int64_t begin = std::max(own.begin, all.begin), end = std::min(own.end, all.end);
      if (begin >= end) continue;
      const std::int64_t at = segment.offset + segment.stride * index + begin - own.begin;
      held.push_back({&shard,
                      {begin - all.begin, end - all.begin},
                      {shard.view.buffer, at * bytes, (end - begin) * bytes, shard.view.age},
                      rank});
    }
  }
  return held;
}

}  // namespace ddlbench::program
