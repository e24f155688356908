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

/// What ranks have started and not yet completed, and the links that it goes over. Matches as transports
/// do: the k-th collective of a group on one member with the k-th on the others, the k-th message from one rank
/// to another with its k-th receive.
class Network {
 public:
  Network(const Routes& routes, const program::CostTable& costs, const Cluster& cluster);

  /// One part of a rank's communication is complete: a collective's only one, or one of its messages.
  struct Arrival {
    int rank = 0;
    program::InstructionId instruction = program::none;
    double time = 0;
  };

  /// `rank` starts a communication. What is settled by that, on all ranks, is appended to `arrivals`.
  void start(int rank, program::InstructionId id, const program::Instruction& instruction, std::span<const int> targets,
             double now, std::vector<Arrival>& arrivals);

  /// Bytes that start() has sent from a rank, by operation.
  using Sent = std::map<std::string, std::int64_t>;
  const Sent& sent(int rank) const { return sent_[static_cast<std::size_t>(rank)]; }

 private:
  struct End {
    int rank = 0;
    program::InstructionId instruction = program::none;
    std::int64_t bytes = 0;
    double arrives = -1;  ///< of a message that has left before its receiver came
  };
  struct Channel {
    std::deque<End> sends;
    std::deque<End> receives;
  };
  struct Gathering {
    std::vector<std::pair<int, program::InstructionId>> arrived;
  };
  struct Ring {
    std::deque<Gathering> open;
    std::size_t closed = 0;
    std::map<int, std::size_t> started;  ///< by rank
  };
  struct Call {
    std::optional<double> known_seconds;
    std::vector<std::int64_t> sent_bytes;  ///< by member
    std::map<int, double> seconds;         ///< by hosts_of(group): each round as long as its slowest message
  };

  void start_collective(const End& end, const program::CollectiveCall& call, int group, double now,
                        std::vector<Arrival>& arrivals);
  void send(const End& end, int to, double now, std::vector<Arrival>& arrivals);
  void receive(const End& end, int from, double now, std::vector<Arrival>& arrivals);
  Channel& channel(int from, int to);
  double move(int from, int to, std::int64_t bytes, double ready);
  Call& known(const program::CollectiveCall& call, int group);
  double seconds_of(Call& known, const program::CollectiveCall& call, int group);
  /// Fills in what the call sends, and how long it takes among the group's hosts.
  void walk(Call& known, const program::CollectiveCall& call, int group);
  /// A number for which of a group's members share hosts: groups with the same have the same links.
  int hosts_of(int group);

  const Routes& routes_;
  const program::CostTable& costs_;
  const Cluster& cluster_;
  std::vector<double> out_free_, in_free_;  ///< by rank: when its link is idle again
  std::unordered_map<std::uint64_t, Channel> channels_;
  std::map<int, Ring> rings_;  ///< by group
  std::unordered_map<const program::CollectiveCall*, Call> calls_;
  std::map<std::vector<int>, int> hosts_;  ///< hosts_of(), by the first member on the host of each member
  std::map<int, int> hosts_by_group_;
  std::vector<Sent> sent_;
};

}  // namespace ddlbench::simulator
