#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "program/cost_table.h"
#include "simulator/cluster.h"
#include "simulator/routes.h"

namespace ddlbench::simulator {

/// Communications in progress and the links that they use. Matches communications as transports do: the k-th collective
/// of a group on one member with the k-th on the others, the k-th message from one rank to another with its k-th
/// receive.
class Network {
 public:
  Network(const Routes& routes, const program::CostTable& costs, const Cluster& cluster);

  /// The completion of one part of a rank's communication. A collective has one part, and so has each message.
  struct Arrival {
    int rank = 0;
    program::InstructionId instruction = program::none;
    double time = 0;
  };

  /// Starts a communication of `rank`. Appends to `arrivals` all completions, on any rank, whose times this determines.
  void start(int rank, program::InstructionId id, const program::Instruction& instruction, std::span<const int> targets,
             double now, std::vector<Arrival>& arrivals);

  /// Bytes sent from a rank by start(), by operation.
  using Sent = std::map<std::string, std::int64_t>;
  const Sent& sent(int rank) const { return sent_[static_cast<std::size_t>(rank)]; }

 private:
  struct End {
    int rank = 0;
    program::InstructionId instruction = program::none;
    std::int64_t bytes = 0;
    /// Arrival time of a message that was sent before its receive was posted, or −1.
    double arrives = -1;
  };
  struct Channel {
    std::deque<End> sends;
    std::deque<End> receives;
  };
  struct OpenCollective {
    std::vector<std::pair<int, program::InstructionId>> arrived;
  };
  struct CollectiveQueue {
    std::deque<OpenCollective> open;
    std::size_t closed = 0;
    std::map<int, std::size_t> started;  ///< number of collectives started, by rank
  };
  struct Call {
    std::optional<double> known_seconds;
    std::vector<std::int64_t> sent_bytes;  ///< by member
    std::map<int, double> seconds;         ///< by hosts_of(group); each round takes as long as its slowest message
  };

  void start_collective(const End& end, const program::CollectiveCall& call, int group, double now,
                        std::vector<Arrival>& arrivals);
  void send(const End& end, int to, double now, std::vector<Arrival>& arrivals);
  void receive(const End& end, int from, double now, std::vector<Arrival>& arrivals);
  Channel& channel(int from, int to);
  double move(int from, int to, std::int64_t bytes, double ready);
  Call& known(const program::CollectiveCall& call, int group);
  double seconds_of(Call& known, const program::CollectiveCall& call, int group);
  /// Computes the bytes that each member sends, and the duration of the call on the hosts of `group`.
  void walk(Call& known, const program::CollectiveCall& call, int group);
  /// Returns a number for the pattern in which the group's members share hosts. Groups with equal numbers have equal
  /// links.
  int hosts_of(int group);

  const Routes& routes_;
  const program::CostTable& costs_;
  const Cluster& cluster_;
  std::vector<double> out_free_, in_free_;  ///< by rank: when its port is free again
  std::unordered_map<std::uint64_t, Channel> channels_;
  std::map<int, CollectiveQueue> queues_;  ///< by group
  std::unordered_map<const program::CollectiveCall*, Call> calls_;
  /// The numbers of hosts_of(). The key names, for each member, the first member on the same host.
  std::map<std::vector<int>, int> hosts_;
  std::map<int, int> hosts_by_group_;
  std::vector<Sent> sent_;
};

}  // namespace ddlbench::simulator
