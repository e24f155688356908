#include "simulator/cluster.h"

#include <fmt/core.h>
#include <string>

#include "base/error.h"

namespace ddlbench::simulator {
namespace {

void require_link(const Link& link, const std::string& where) {
  if (!(link.latency_seconds >= 0) || !(link.bytes_per_second > 0)) {
    throw InputError(
        fmt::format("the link {} has a latency of {} seconds and {} bytes per second; the latency must be at least 0, "
                    "and the rate above 0",
                    where, link.latency_seconds, link.bytes_per_second));
  }
}

}  // namespace

Cluster one_host(int ranks, int cores, int threads_per_rank, const Link& link) {
  Cluster cluster;
  cluster.hosts = {{cores, 0}};
  cluster.host_of_rank.assign(static_cast<std::size_t>(ranks), 0);
  cluster.threads_per_rank = threads_per_rank;
  cluster.inside_host = cluster.between_hosts = link;
  return cluster;
}

Cluster hosts_of(int ranks, int ranks_per_host, const Link& inside_host, const Link& between_hosts) {
  Cluster cluster;
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank % ranks_per_host == 0) cluster.hosts.push_back({ranks_per_host, 0});
    cluster.host_of_rank.push_back(rank / ranks_per_host);
  }
  cluster.inside_host = inside_host;
  cluster.between_hosts = between_hosts;
  return cluster;
}

void require_valid(const Cluster& cluster, int ranks) {
  if (cluster.host_of_rank.size() != static_cast<std::size_t>(ranks)) {
    throw InputError(fmt::format("the cluster has {} ranks, the plan has {}", cluster.host_of_rank.size(), ranks));
  }
  for (const int host : cluster.host_of_rank) {
    if (host < 0 || static_cast<std::size_t>(host) >= cluster.hosts.size()) {
      throw InputError(fmt::format("the cluster has a rank on host {} of {}", host, cluster.hosts.size()));
    }
  }
  for (const Host& host : cluster.hosts) {
    if (host.cores < 1) throw InputError(fmt::format("a host of the cluster has {} cores", host.cores));
  }
  if (cluster.threads_per_rank < 1) {
    throw InputError(fmt::format("a rank of the cluster has {} threads", cluster.threads_per_rank));
  }
  if (!cluster.slowdown_of_rank.empty() && cluster.slowdown_of_rank.size() != static_cast<std::size_t>(ranks)) {
    throw InputError(fmt::format("the cluster has slowdowns of {} ranks, the plan has {} ranks",
                                 cluster.slowdown_of_rank.size(), ranks));
  }
  for (const double slowdown : cluster.slowdown_of_rank) {
    if (!(slowdown > 0)) throw InputError(fmt::format("a rank of the cluster has a slowdown of {}", slowdown));
  }
  require_link(cluster.inside_host, "inside a host");
  require_link(cluster.between_hosts, "between hosts");
}

}  // namespace ddlbench::simulator
