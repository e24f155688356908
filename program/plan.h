#pragma once

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

/// One distinct behaviour; most ranks share theirs with others. The persistent buffers come first;
/// those of `evaluate` are the first of those of `train`, so that both share them.
struct Role {
  std::string name;  ///< "pipeline=0 tensor=1"
  int mesh = 0;
  Program train;
  Program evaluate;  ///< forward only, over the same parameters
  std::vector<StateShard> state;
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

}  // namespace ddlbench::program
