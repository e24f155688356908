#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace ddlbench::simulator {

/// What joins two ranks. Every rank has one end for what it sends and one for what it receives; a
/// transfer holds both for bytes / bytes_per_second and arrives latency_seconds later, so that small messages
/// overlap each other's latency, and large ones queue.
struct Link {
  double latency_seconds = 0;
  double bytes_per_second = std::numeric_limits<double>::infinity();
  /// A message of at most so many bytes leaves when it is sent; a larger one when its receiver is there, too.
  std::int64_t eager_bytes = -1;
};

struct Host {
  int cores = 1;
  std::int64_t memory_bytes = 0;  ///< 0: not known
};

/// The machine that a plan is simulated on. Rank r computes with `threads_per_rank` threads, bound to the
/// cores of its host from r' · threads_per_rank on, counted round and round, where r' is its place among
/// the ranks of that host. A core that n ranks compute on at the same time gives each 1/n of itself, and a
/// rank runs as fast as the slowest of its cores. Input is made on a rank's cores, too. What a rank that shares a
/// core sends moves only once it waits: beside its computing there is no core that would move it.
struct Cluster {
  std::vector<Host> hosts;
  std::vector<int> host_of_rank;
  int threads_per_rank = 1;
  Link inside_host;
  Link between_hosts;

  const Link& link(int rank, int other) const {
    const bool same = host_of_rank[static_cast<std::size_t>(rank)] == host_of_rank[static_cast<std::size_t>(other)];
    return same ? inside_host : between_hosts;
  }
};

/// All ranks on one host.
Cluster one_host(int ranks, int cores, int threads_per_rank, const Link& link);

/// Hosts alike, filled one after another with `ranks_per_host`, one core for each.
Cluster hosts_of(int ranks, int ranks_per_host, const Link& inside_host, const Link& between_hosts);

/// Throws InputError unless it has a place for each of `ranks` ranks, and every number is one that can be.
void require_holds(const Cluster& cluster, int ranks);

}  // namespace ddlbench::simulator
