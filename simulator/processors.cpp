#include "simulator/processors.h"

#include <algorithm>

#include "base/error.h"
#include "simulator/index.h"

namespace ddlbench::simulator {
Processors::Processors(const Cluster& cluster)
    : cluster_(cluster), shares_(cluster.host_of_rank.size(), false), cores_(shares_.size()) {
  std::vector<int> placed(cluster.hosts.size(), 0);
  std::vector<std::vector<int>> users(cluster.hosts.size());
  for (std::size_t host = 0; host < users.size(); ++host) {
    users[host].assign(index(cluster.hosts[host].cores), 0);
    hosts_.push_back({users[host], {}, 0});
  }
  for (std::size_t rank = 0; rank < cores_.size(); ++rank) {
    const int host = cluster.host_of_rank[rank];
    const int cores = cluster.hosts[index(host)].cores;
    for (int i = 0; i < std::min(cluster.threads_per_rank, cores); ++i) {
      const int core = (placed[index(host)] + i) % cores;
      cores_[rank].push_back(core);
      ++users[index(host)][index(core)];
    }
    placed[index(host)] += cluster.threads_per_rank;
  }
  for (std::size_t rank = 0; rank < cores_.size(); ++rank) {
    for (const int core : cores_[rank]) {
      if (users[index(cluster.host_of_rank[rank])][index(core)] > 1) shares_[rank] = true;
    }
  }
}

Processors::State& Processors::state_of(int rank) {
  return hosts_[index(cluster_.host_of_rank[index(rank)])];
}

void Processors::advance(State& state, double now) {
  for (Task& task : state.tasks) task.left = std::max(0.0, task.left - task.rate * (now - state.time));
  state.time = now;
}

void Processors::occupy(State& state, int rank, int change) {
  for (const int core : cores_[index(rank)]) state.busy[index(core)] += change;
}

void Processors::set_rates(State& state) {
  for (Task& task : state.tasks) {
    int most = 1;
    for (const int core : cores_[index(task.rank)]) most = std::max(most, state.busy[index(core)]);
    task.rate = 1.0 / most;
  }
}

void Processors::begin(int rank, double seconds, double now) {
  State& state = state_of(rank);
  advance(state, now);
  state.tasks.push_back({rank, seconds, 1});
  occupy(state, rank, 1);
  set_rates(state);
}

void Processors::end(int rank, double now) {
  State& state = state_of(rank);
  advance(state, now);
  const auto removed = std::erase_if(state.tasks, [rank](const Task& task) { return task.rank == rank; });
  require(removed == 1, "a rank ended a computation that it had not started");
  occupy(state, rank, -1);
  set_rates(state);
}

std::optional<Processors::Next> Processors::next(int host) const {
  const State& state = hosts_[index(host)];
  std::optional<Next> first;
  for (const Task& task : state.tasks) {
    const double time = state.time + task.left / task.rate;
    if (!first || time < first->time) first = Next{task.rank, time};
  }
  return first;
}

}  // namespace ddlbench::simulator
