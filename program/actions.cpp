#include "program/actions.h"

namespace ddlbench::program {

bool is_communication(const Instruction& instruction) {
  const Action& action = instruction.action;
  return std::holds_alternative<CollectiveCall>(action) || std::holds_alternative<Send>(action) ||
         std::holds_alternative<Receive>(action) || std::holds_alternative<Exchange>(action);
}

Messages messages(const Action& action) {
  Messages result;
  if (const auto* send = std::get_if<Send>(&action)) result.sends.push_back(&send->message);
  if (const auto* receive = std::get_if<Receive>(&action)) result.receives.push_back(&receive->message);
  if (const auto* exchange = std::get_if<Exchange>(&action)) {
    for (const Message& message : exchange->sends) result.sends.push_back(&message);
    for (const Message& message : exchange->receives) result.receives.push_back(&message);
  }
  return result;
}

const CollectiveCall* collective(const Action& action) {
  return std::get_if<CollectiveCall>(&action);
}

}  // namespace ddlbench::program
