#pragma once

#include <optional>
#include <vector>

#include "simulator/cluster.h"

namespace ddlbench::simulator {

/// The cores of a cluster's hosts, shared by ranks as described at Cluster.
class Processors {
 public:
  explicit Processors(const Cluster& cluster);

  /// Returns true if the rank shares a core with another rank. Otherwise its computations take their own time.
  bool shares(int rank) const { return shares_[static_cast<std::size_t>(rank)]; }

  /// Begins `seconds` of work of a rank that shares cores, or ends that work.
  void begin(int rank, double seconds, double now);
  void end(int rank, double now);

  /// The rank of a host whose work ends next, and when, provided that no rank of the host begins or ends work before.
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
    std::vector<int> busy;  ///< number of computing ranks, by core
    std::vector<Task> tasks;
    double time = 0;
  };

  void advance(State& state, double now);
  void set_rates(State& state);
  void occupy(State& state, int rank, int change);
  State& state_of(int rank);

  const Cluster& cluster_;
  std::vector<bool> shares_;
  std::vector<std::vector<int>> cores_;  ///< by rank, each core once
  std::vector<State> hosts_;
};

}  // namespace ddlbench::simulator
