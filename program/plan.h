#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "program/cadence.h"
#include "program/mesh.h"
#include "program/program.h"
#include "program/update_rule.h"

namespace ddlbench::program {

/// The semantic guarantee of a strategy relative to training on one rank.
struct Promise {
  enum class Kind : std::uint8_t { exact, stale, lossy };
  Kind kind = Kind::exact;
  std::string how;                              ///< description, for `stale` and `lossy`
  int staleness = 0;                            ///< upper bound, in steps
  std::shared_ptr<const UpdateRule> rule = {};  ///< what the training is held against; null: one-rank training
};

std::string_view name(Promise::Kind kind);

/// A range of a whole flat buffer, in elements. A rank keeps part_of(range, ranks of the shard axis, own coordinate) of
/// it, at `offset` + `stride` · (own coordinate) of its own buffer.
struct Segment {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t offset = 0;
  std::int64_t stride = 0;
};

/// A distinct program, usually shared by many ranks. Persistent buffers come first; those of `evaluate` are a prefix of
/// those of `train`, so that both programs share them.
struct Role {
  std::string name;  ///< "pipeline=0 tensor=1"
  int mesh = 0;
  Program train;
  Program evaluate;  ///< forward only, over the same parameters
  /// A gradient may lie in a transient buffer of `train`. It is then valid only until the update has used it, not after
  /// the step.
  std::vector<StateShard> state;
  /// The segments of persistent buffers of which only the own shards are valid. A view of `state` in such a buffer is a
  /// range of the whole buffer.
  std::map<BufferId, std::vector<Segment>> shards;
};

/// A compiled strategy. Checker, accounting, simulator and engine all work on a plan.
struct Plan {
  std::vector<Mesh> meshes;
  std::vector<Role> roles;
  std::vector<int> role_of_rank;
  Cadence cadence;  ///< of the training programs
  Promise promise;
  std::int64_t global_batch = 0;
  int microbatches = 1;
  /// The samples of a micro-batch that each data-parallel rank has, the last axis that splits the batch fastest; empty:
  /// equal parts.
  std::vector<std::int64_t> shares;
  std::vector<std::string> choices;  ///< "stages: conv1..pool2 | fc1..loss", for people to read

  int ranks() const { return static_cast<int>(role_of_rank.size()); }
  const Role& role(int rank) const {
    return roles[static_cast<std::size_t>(role_of_rank[static_cast<std::size_t>(rank)])];
  }
};

/// The part of a state that a rank holds: `elements` of the box, counted in row-major order, dense at `view`.
struct HeldState {
  const StateShard* shard = nullptr;
  graph::Extent elements;
  View view;
  int rank = 0;

  /// Returns the name of the tensor: "conv1.weight", or that of the rank if it has its own.
  std::string tensor() const;
};

/// Return the name of a state that only some strategies have: that of one rank, "conv1.weight.residual@2", or one that
/// is equal on all ranks, "conv1.weight.power_sgd_q@all".
std::string of_rank(const std::string& state, int rank);
std::string of_all_ranks(const std::string& state);

/// The f32 masters of a parameter that is used in 16 bits are the state "PARAMETER.master".
inline constexpr const char* master_suffix = ".master";
/// Returns "conv1.weight@2" for "conv1.weight.master@2", and nothing for a state that is not a master.
std::optional<std::string> parameter_of_master(const std::string& tensor);

/// Returns whether `tensor` is the name of a state that only some strategies have. Another strategy, or another number
/// of ranks, has other such states.
bool is_strategy_state(const std::string& tensor);

/// Returns everything that `rank` holds, in the order of its role's state: whole boxes, or for a sharded buffer the
/// pieces in the rank's shards. `plan` must outlive the result.
std::vector<HeldState> held_state(const Plan& plan, int rank);

/// Returns the rank's coordinate on its program's shard axis, or 0 if there is none.
int shard_coordinate(const Plan& plan, int rank);

}  // namespace ddlbench::program
