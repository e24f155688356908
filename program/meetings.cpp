#include "program/meetings.h"

#include <map>
#include <utility>

#include "base/error.h"
#include "program/actions.h"

namespace ddlbench::program {

namespace {

using Members = std::vector<int>;

/// Numbers matched communications by their participants and by how often the same participants communicated before.
class Register {
 public:
  explicit Register(Meetings& meetings) : meetings_(meetings) {}

  template <class Key>
  void attend(std::map<Key, std::vector<int>>& known, const Key& key, std::size_t occurrence, Attendance who) {
    std::vector<int>& list = known[key];
    if (occurrence == list.size()) {
      list.push_back(static_cast<int>(meetings_.members.size()));
      meetings_.members.emplace_back();
    }
    const int meeting = list[occurrence];
    meetings_.members[static_cast<std::size_t>(meeting)].push_back(who);
    auto& attended = meetings_.of[static_cast<std::size_t>(who.rank)][static_cast<std::size_t>(who.instruction)];
    if (attended.empty() || attended.back() != meeting) attended.push_back(meeting);
  }

  std::map<Members, std::vector<int>> collectives;
  std::map<std::pair<int, int>, std::vector<int>> messages;  ///< by (source, destination)

 private:
  Meetings& meetings_;
};

void attend_all(const Plan& plan, int rank, Register& entries) {
  const Role& role = plan.role(rank);
  std::map<Members, std::size_t> called;
  std::map<int, std::size_t> sent, received;
  for (std::size_t i = 0; i < role.train.body.size(); ++i) {
    const Action& action = role.train.body[i].action;
    const Attendance who{rank, static_cast<InstructionId>(i)};
    if (const CollectiveCall* call = collective(action)) {
      const Members group = members(call->group, plan.meshes, rank);
      entries.attend(entries.collectives, group, called[group]++, who);
    }
    const Messages list = messages(action);
    for (const Message* message : list.sends) {
      const int peer = resolve(message->peer, plan.meshes, role.mesh, rank);
      entries.attend(entries.messages, std::pair{rank, peer}, sent[peer]++, who);
    }
    for (const Message* message : list.receives) {
      const int peer = resolve(message->peer, plan.meshes, role.mesh, rank);
      entries.attend(entries.messages, std::pair{peer, rank}, received[peer]++, who);
    }
  }
}

}  // namespace

Meetings match(const Plan& plan) {
  Meetings meetings;
  for (int rank = 0; rank < plan.ranks(); ++rank) meetings.of.emplace_back(plan.role(rank).train.body.size());
  Register entries(meetings);
  for (int rank = 0; rank < plan.ranks(); ++rank) attend_all(plan, rank, entries);
  for (const auto& [group, list] : entries.collectives) {
    for (const int meeting : list) {
      require(meetings.members[static_cast<std::size_t>(meeting)].size() == group.size(),
              "not all members of its group call a collective of the plan");
    }
  }
  for (const auto& [ends, list] : entries.messages) {
    for (const int meeting : list) {
      require(meetings.members[static_cast<std::size_t>(meeting)].size() == 2,
              "a message from rank " + std::to_string(ends.first) + " to rank " + std::to_string(ends.second) +
                  " has no counterpart");
    }
  }
  return meetings;
}

}  // namespace ddlbench::program
