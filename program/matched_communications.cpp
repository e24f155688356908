#include "program/matched_communications.h"

#include <map>
#include <utility>

#include "base/error.h"
#include "program/actions.h"

namespace ddlbench::program {

namespace {

using Members = std::vector<int>;

/// Numbers matched communications by their participants and by how often the same participants communicated before.
class Matcher {
 public:
  explicit Matcher(MatchedCommunications& matched_communications) : communications_(matched_communications) {}

  template <class Key>
  void add_participant(std::map<Key, std::vector<int>>& known, const Key& key, std::size_t occurrence,
                       Participant who) {
    std::vector<int>& list = known[key];
    if (occurrence == list.size()) {
      list.push_back(static_cast<int>(communications_.members.size()));
      communications_.members.emplace_back();
    }
    const int communication = list[occurrence];
    communications_.members[static_cast<std::size_t>(communication)].push_back(who);
    auto& attended = communications_.of[static_cast<std::size_t>(who.rank)][static_cast<std::size_t>(who.instruction)];
    if (attended.empty() || attended.back() != communication) attended.push_back(communication);
  }

  std::map<Members, std::vector<int>> collectives;
  std::map<std::pair<int, int>, std::vector<int>> messages;  ///< by (source, destination)

 private:
  MatchedCommunications& communications_;
};

void add_participants(const Plan& plan, int rank, const Instructions& body, Matcher& entries) {
  const Role& role = plan.role(rank);
  std::map<Members, std::size_t> called;
  std::map<int, std::size_t> sent, received;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const Action& action = body[i].action;
    const Participant who{rank, static_cast<InstructionId>(i)};
    if (const CollectiveCall* call = collective(action)) {
      const Members group = members(call->group, plan.meshes, rank);
      entries.add_participant(entries.collectives, group, called[group]++, who);
    }
    const Messages list = messages(action);
    for (const Message* message : list.sends) {
      const int peer = resolve(message->peer, plan.meshes, role.mesh, rank);
      entries.add_participant(entries.messages, std::pair{rank, peer}, sent[peer]++, who);
    }
    for (const Message* message : list.receives) {
      const int peer = resolve(message->peer, plan.meshes, role.mesh, rank);
      entries.add_participant(entries.messages, std::pair{peer, rank}, received[peer]++, who);
    }
  }
}

}  // namespace

MatchedCommunications match(const Plan& plan, int body) {
  MatchedCommunications matched_communications;
  const auto body_of = [&](int rank) -> const Instructions& {
    return section(plan.role(rank).train, body_section(body));
  };
  for (int rank = 0; rank < plan.ranks(); ++rank) matched_communications.of.emplace_back(body_of(rank).size());
  Matcher entries(matched_communications);
  for (int rank = 0; rank < plan.ranks(); ++rank) add_participants(plan, rank, body_of(rank), entries);
  for (const auto& [group, list] : entries.collectives) {
    for (const int communication : list) {
      require(matched_communications.members[static_cast<std::size_t>(communication)].size() == group.size(),
              "not all members of its group call a collective of the plan");
    }
  }
  for (const auto& [ends, list] : entries.messages) {
    for (const int communication : list) {
      require(matched_communications.members[static_cast<std::size_t>(communication)].size() == 2,
              "a message from rank {} to rank {} has no counterpart", ends.first, ends.second);
    }
  }
  return matched_communications;
}

}  // namespace ddlbench::program
