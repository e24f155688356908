#include "simulator/network.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "program/actions.h"
#include "simulator/collective_rounds.h"
#include "simulator/index.h"

namespace ddlbench::simulator {

using namespace program;

Network::Network(const Routes& routes, const CostTable& costs, const Cluster& cluster)
    : routes_(routes),
      costs_(costs),
      cluster_(cluster),
      out_free_(cluster.host_of_rank.size(), 0),
      in_free_(out_free_),
      sent_(out_free_.size()) {}

void Network::start(int rank, InstructionId id, const Instruction& instruction, std::span<const int> targets,
                    double now, std::vector<Arrival>& arrivals) {
  if (const CollectiveCall* call = collective(instruction.action)) {
    start_collective({rank, id}, *call, targets[0], now, arrivals);
    return;
  }
  const Messages list = messages(instruction.action);
  std::size_t target = 0;
  for (const Message* message : list.sends) {
    sent_[index(rank)]["send"] += message->operand.view.bytes;
    send({rank, id, message->operand.view.bytes}, targets[target++], now, arrivals);
  }
  for (const Message* message : list.receives) {
    receive({rank, id, message->operand.view.bytes}, targets[target++], now, arrivals);
  }
}

int Network::hosts_of(int group) {
  const auto [entry, is_new] = hosts_by_group_.try_emplace(group, 0);
  if (!is_new) return entry->second;
  std::map<int, int> first;
  std::vector<int> shared;
  for (const int rank : routes_.members(group)) {
    const auto member = static_cast<int>(shared.size());
    shared.push_back(first.try_emplace(cluster_.host_of_rank[index(rank)], member).first->second);
  }
  entry->second = hosts_.try_emplace(std::move(shared), static_cast<int>(hosts_.size())).first->second;
  return entry->second;
}

void Network::walk(Call& known, const CollectiveCall& call, int group) {
  const std::vector<int>& members = routes_.members(group);
  known.sent_bytes.assign(members.size(), 0);
  std::vector<double> slowest;
  for_each_hop(call, static_cast<int>(members.size()), [&](const Hop& hop) {
    known.sent_bytes[index(hop.from)] += hop.bytes;
    if (slowest.size() <= index(hop.round)) slowest.resize(index(hop.round) + 1, 0);
    const Link& link = cluster_.link(members[index(hop.from)], members[index(hop.to)]);
    double& round = slowest[index(hop.round)];
    round = std::max(round, link.latency_seconds + static_cast<double>(hop.bytes) / link.bytes_per_second);
  });
  known.seconds[hosts_of(group)] = std::accumulate(slowest.begin(), slowest.end(), 0.0);
}

Network::Call& Network::known(const CollectiveCall& call, int group) {
  const auto [entry, is_new] = calls_.try_emplace(&call);
  Call& known = entry->second;
  if (!is_new) return known;
  const std::string key = cost_key(call, static_cast<int>(routes_.members(group).size()));
  if (const OpCost* cost = costs_.find(key)) known.known_seconds = cost->seconds;
  walk(known, call, group);
  return known;
}

double Network::seconds_of(Call& known, const CollectiveCall& call, int group) {
  if (known.known_seconds) return *known.known_seconds;
  const int hosts = hosts_of(group);
  if (!known.seconds.contains(hosts)) walk(known, call, group);
  return known.seconds.at(hosts);
}

void Network::start_collective(const End& end, const CollectiveCall& call, int group, double now,
                               std::vector<Arrival>& arrivals) {
  const std::vector<int>& members = routes_.members(group);
  const auto member = std::lower_bound(members.begin(), members.end(), end.rank);
  require(member != members.end() && *member == end.rank,
          "a collective's group does not contain the rank that runs it");
  Call& known_call = known(call, group);
  sent_[index(end.rank)][std::string(graph::name(call.kind))] +=
      known_call.sent_bytes[static_cast<std::size_t>(member - members.begin())];

  CollectiveQueue& queue = queues_[group];
  const std::size_t place = queue.started[end.rank]++ - queue.closed;
  while (queue.open.size() <= place) queue.open.emplace_back();
  OpenCollective& collective_in_progress = queue.open[place];
  collective_in_progress.arrived.emplace_back(end.rank, end.instruction);
  if (collective_in_progress.arrived.size() < members.size()) return;

  double begin = now;
  for (const int rank : members) begin = std::max({begin, out_free_[index(rank)], in_free_[index(rank)]});
  const double finish = begin + seconds_of(known_call, call, group);
  for (const auto& [rank, id] : collective_in_progress.arrived) {
    out_free_[index(rank)] = in_free_[index(rank)] = finish;
    arrivals.push_back({rank, id, finish});
  }
  // Every member starts its collectives in order, so the oldest open one completes first.
  queue.open.pop_front();
  ++queue.closed;
}

Network::Channel& Network::channel(int from, int to) {
  return channels_[index(from) * out_free_.size() + index(to)];
}

double Network::move(int from, int to, std::int64_t bytes, double ready) {
  const Link& link = cluster_.link(from, to);
  const double begin = std::max({ready, out_free_[index(from)], in_free_[index(to)]});
  const double left = begin + static_cast<double>(bytes) / link.bytes_per_second;
  out_free_[index(from)] = in_free_[index(to)] = left;
  return left;
}

void Network::send(const End& end, int to, double now, std::vector<Arrival>& arrivals) {
  const Link& link = cluster_.link(end.rank, to);
  const bool eager = end.bytes <= link.eager_bytes;
  Channel& between = channel(end.rank, to);
  if (between.receives.empty() && !eager) {
    between.sends.push_back(end);
    return;
  }
  const double left = move(end.rank, to, end.bytes, now);
  const double arrives = left + link.latency_seconds;
  arrivals.push_back({end.rank, end.instruction, eager ? left : arrives});
  if (between.receives.empty()) {
    between.sends.push_back(end);
    between.sends.back().arrives = arrives;
    return;
  }
  const End receiver = between.receives.front();
  between.receives.pop_front();
  require(receiver.bytes == end.bytes, "rank {} sends {} bytes, rank {} expects {}", end.rank, end.bytes, to,
          receiver.bytes);
  arrivals.push_back({receiver.rank, receiver.instruction, arrives});
}

void Network::receive(const End& end, int from, double now, std::vector<Arrival>& arrivals) {
  Channel& between = channel(from, end.rank);
  if (between.sends.empty()) {
    between.receives.push_back(end);
    return;
  }
  const End sender = between.sends.front();
  between.sends.pop_front();
  require(sender.bytes == end.bytes, "rank {} sends {} bytes, rank {} expects {}", from, sender.bytes, end.rank,
          end.bytes);
  if (sender.arrives >= 0) {
    arrivals.push_back({end.rank, end.instruction, std::max(now, sender.arrives)});
    return;
  }
  const double arrives = move(from, end.rank, end.bytes, now) + cluster_.link(from, end.rank).latency_seconds;
  arrivals.push_back({sender.rank, sender.instruction, arrives});
  arrivals.push_back({end.rank, end.instruction, arrives});
}

}  // namespace ddlbench::simulator
