#pragma once

#include <optional>
#include <vector>

#include "simulator/cluster.h"

namespace ddlbench::simulator {

/// The cores of a cluster's hosts, shared by the ranks that compute on them, as Cluster says.
class Processors {
 public:
  explicit Processors(const Cluster& cluster);

  /// Whether the rank has any core in common with another; else what it computes takes its own time.
  bool shares(int rank) const { return shares_[static_cast<std::size_t>(rank)]; }

  /// A rank that shares begins `seconds` of work, or has ended it.
  void begin(int rank, double seconds, double now);
  void end(int rank, double now);

  /// Who of a host's ranks ends next, and when, if nobody begins or ends before.
  struct Next {
    int rank = 0;
    double time = 0;
  };
  std::optional<Next> next(int host) const;

 private:
  struct Task {
    int rank = 0;
    double left = 0;
    double rate = 1;
  };
  struct State {
    std::vector<int> busy;  ///< ranks by core
    std::vector<Task> tasks;
    double time = 0;
  };

  void advance(State& state, double now);
  void set_rates(State& state);
  void occupy(State& state, int rank, int change);
  State& state_of(int rank);

  const Cluster& cluster_;
  std::vector<bool> shares_;
  std::vector<std::vector<int>> cores_;  ///< by rank, each once
  std::vector<State> hosts_;
};

}  // namespace ddlbench::simulator
