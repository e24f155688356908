#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace ddlbench::simulator {

/// A connection between two ranks. Every rank has one port for sending and one for receiving. A transfer occupies the
/// sender's and the receiver's port for bytes / bytes_per_second and arrives latency_seconds later. So the latencies of
/// small messages overlap, whereas large messages queue.
struct Link {
  double latency_seconds = 0;
  double bytes_per_second = std::numeric_limits<double>::infinity();
  /// A message of at most this size leaves when it is sent; a larger one leaves once its receiver is ready, too.
  std::int64_t eager_bytes = -1;
};

struct Host {
  int cores = 1;
  std::int64_t memory_bytes = 0;  ///< 0: unknown
};

/// The machine on which a plan is simulated. Rank r computes with `threads_per_rank` threads. They are bound to the
/// cores of its host round-robin, starting at core r' · threads_per_rank, where r' is the rank's index among the ranks
/// of that host. If n ranks compute on a core at the same time, each gets 1/n of it; a rank runs at the speed of its
/// slowest core. Preparing the input also uses the rank's cores. If a rank shares a core, its messages move only while
/// it waits: no core is free to move them while it computes.
struct Cluster {
  std::vector<Host> hosts;
  std::vector<int> host_of_rank;
  int threads_per_rank = 1;
  Link inside_host;
  Link between_hosts;
  std::vector<double> slowdown_of_rank;  ///< by which the times of its computations are multiplied; empty: 1

  const Link& link(int rank, int other) const {
    const bool same = host_of_rank[static_cast<std::size_t>(rank)] == host_of_rank[static_cast<std::size_t>(other)];
    return same ? inside_host : between_hosts;
  }
};

/// Returns a cluster with all ranks on one host.
Cluster one_host(int ranks, int cores, int threads_per_rank, const Link& link);

/// Returns a cluster of equal hosts, filled one after another with `ranks_per_host` ranks and one core for each rank.
Cluster hosts_of(int ranks, int ranks_per_host, const Link& inside_host, const Link& between_hosts);

/// Throws InputError unless the cluster places each of `ranks` ranks on a host and all its numbers are valid.
void require_valid(const Cluster& cluster, int ranks);

}  // namespace ddlbench::simulator
