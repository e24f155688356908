#include "strategies/passes/pair.h"

#include <iterator>

namespace ddlbench::strategies {

using program::Exchange;
using program::Instruction;
using program::Receive;
using program::Send;

namespace {

/// The instruction as an exchange that `receive` can join; nullptr where it cannot.
Exchange* joinable(Instruction& previous, const Receive& receive) {
  const program::Peer& peer = receive.message.peer;
  if (const auto* send = std::get_if<Send>(&previous.action)) {
    if (!(send->message.peer == peer)) return nullptr;
    previous.action = Exchange{{send->message}, {}};
  }
  auto* exchange = std::get_if<Exchange>(&previous.action);
  return exchange != nullptr && exchange->sends.front().peer == peer ? exchange : nullptr;
}

}  // namespace

void pair_messages(std::vector<Instruction>& body) {
  std::vector<Instruction> paired;
  paired.reserve(body.size());
  for (Instruction& instruction : body) {
    const auto* receive = std::get_if<Receive>(&instruction.action);
    Exchange* exchange = receive == nullptr || paired.empty() ? nullptr : joinable(paired.back(), *receive);
    if (exchange == nullptr) {
      paired.push_back(std::move(instruction));
      continue;
    }
    exchange->receives.push_back(receive->message);
    paired.back().name += ", " + instruction.name;
  }
  body = std::move(paired);
}

}  // namespace ddlbench::strategies
