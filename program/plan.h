#pragma once

#include <map>
#include <string>
#include <vector>

#include "program/mesh.h"
#include "program/program.h"

namespace ddlbench::program {

/// What a strategy answers for.
struct Promise {
  enum class Kind : std::uint8_t { exact, stale, lossy };
  Kind kind = Kind::exact;
  std::string how;    ///< in words, of `stale` and `lossy`
  int staleness = 0;  ///< bound in steps
};

std::string_view name(Promise::Kind kind);

/// A range of a whole flat buffer, in elements, of which a rank keeps part_of(range, ranks of the shard axis, own
/// coordinate) at `offset` of its own buffer, and with a stride that much further for each step along the axis.
struct Segment {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t offset = 0;
  std::int64_t stride = 0;
};

/// One distinct behaviour; most ranks share theirs with others. The persistent buffers come first;
/// those of `evaluate` are the first of those of `train`, so that both share them.
struct Role {
  std::string name;  ///< "pipeline=0 tensor=1"
  int mesh = 0;
  Program train;
  Program evaluate;  ///< forward only, over the same parameters
  /// A gradient may lie in a transient buffer of `train`: it is there while an update takes it, and not after the step.
  std::vector<StateShard> state;
  /// Persistent buffers of which the own shards alone count. A view of `state` in one of them is a range of the
  /// whole.
  std::map<BufferId, std::vector<Segment>> shards;
};

/// A strategy, compiled: everything that is checked, accounted, simulated or run is read from here.
struct Plan {
  std::vector<Mesh> meshes;
  std::vector<Role> roles;
  std::vector<int> role_of_rank;
  Promise promise;
  std::int64_t global_batch = 0;
  int microbatches = 1;
  std::vector<std::string> choices;  ///< "stages: conv1..pool2 | fc1..loss", for a person to read

  int ranks() const { return static_cast<int>(role_of_rank.size()); }
  const Role& role(int rank) const {
    return roles[static_cast<std::size_t>(role_of_rank[static_cast<std::size_t>(rank)])];
  }
};

/// What a rank has of a state: `elements` of the box, counted in row-major order, dense at `view`.
struct HeldState {
  const StateShard* shard = nullptr;
  graph::Extent elements;
  View view;
};

/// All that `rank` has, in the order of its role's state: the whole boxes, or of a sharded buffer the pieces
/// that lie in its shards. The plan outlives the result.
std::vector<HeldState> held_state(const Plan& plan, int rank);

/// The rank's coordinate on its program's shard axis; 0 where there is none.
int shard_coordinate(const Plan& plan, int rank);

}  // namespace ddlbench::program
