#include <fmt/core.h>
#include <map>

#include "program/check/parts.h"

namespace ddlbench::program {
namespace {

struct End {
  const Communication* communication;
  const Message* message;
};

/// The messages from one rank to another, in order, as each end sees them.
struct Channel {
  std::vector<End> sends;
  std::vector<End> receives;
};

std::string content(const Message& message) {
  return fmt::format("tag {} ({}, {} bytes)", message.tag, graph::to_string(message.operand.type),
                     message.operand.view.bytes);
}

class ChannelCheck {
 public:
  ChannelCheck(const Plan& plan, Report& report, int source, int target)
      : plan_(plan), report_(report), source_(source), target_(target) {}

  void run(const Channel& channel) {
    if (channel.sends.size() == channel.receives.size()) {
      compare(channel);
      return;
    }
    report_surplus(
        channel.sends, channel.receives, source_,
        fmt::format("is sent to rank {}, which never receives it: add the receive, or drop the send", target_));
    report_surplus(
        channel.receives, channel.sends, target_,
        fmt::format("is awaited from rank {}, which never sends it: add the send, or drop the receive", source_));
  }

 private:
  void compare(const Channel& channel) {
    for (std::size_t i = 0; i < channel.sends.size(); ++i) {
      const Message& sent = *channel.sends[i].message;
      const Message& received = *channel.receives[i].message;
      if (sent.tag == received.tag && sent.operand.type == received.operand.type &&
          sent.operand.view.bytes == received.operand.view.bytes)
        continue;
      const std::string differing = sent.tag != received.tag                        ? "tags"
                                    : !(sent.operand.type == received.operand.type) ? "types"
                                                                                    : "sizes";
      report_.add(
          source_, describe(plan_, source_, *channel.sends[i].communication),
          fmt::format("sends {} to rank {}, whose {} expects {} as message {}: their {} differ", content(sent), target_,
                      describe(plan_, target_, *channel.receives[i].communication), content(received), i, differing));
      return;  // all later messages are shifted
    }
  }

  /// Reports those of `ends` whose tags occur less often at the other end.
  void report_surplus(const std::vector<End>& ends, const std::vector<End>& others, int rank, const std::string& what) {
    std::map<int, int> known;
    for (const End& other : others) ++known[other.message->tag];
    for (const End& end : ends)
      if (known[end.message->tag]-- <= 0)
        report_.add(rank, describe(plan_, rank, *end.communication), fmt::format("{} {}", content(*end.message), what));
  }

  const Plan& plan_;
  Report& report_;
  int source_;
  int target_;
};

}  // namespace

void check_messages(const Plan& plan, const Traffic& traffic, Report& report) {
  std::map<std::pair<int, int>, Channel> channels;
  for (int rank = 0; rank < plan.ranks(); ++rank)
    traffic.for_each(rank, [&](const Communication& c) {
      for (const Routed& send : c.sends) channels[{rank, send.peer}].sends.push_back({&c, send.message});
      for (const Routed& receive : c.receives) channels[{receive.peer, rank}].receives.push_back({&c, receive.message});
    });
  for (const auto& [ends, channel] : channels) ChannelCheck(plan, report, ends.first, ends.second).run(channel);
}

}  // namespace ddlbench::program
