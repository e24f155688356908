#include "program/actions.h"

#include <algorithm>

namespace ddlbench::program {

bool is_communication(const Instruction& instruction) {
  const Action& action = instruction.action;
  return std::holds_alternative<CollectiveCall>(action) || std::holds_alternative<Send>(action) ||
         std::holds_alternative<Receive>(action) || std::holds_alternative<Exchange>(action);
}

std::size_t count_communications(const Instructions& instructions) {
  return static_cast<std::size_t>(std::count_if(instructions.begin(), instructions.end(), is_communication));
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

namespace {

struct ViewLister {
  std::vector<View*> found = {};

  void operator()(Compute& compute) {
    for (auto* operands : {&compute.inputs, &compute.outputs})
      for (Operand& operand : *operands) found.push_back(&operand.view);
    found.push_back(&compute.workspace);
  }
  void operator()(CollectiveCall& call) { found = {&call.input.view, &call.output.view, &call.workspace}; }
  void operator()(Send& send) { found = {&send.message.operand.view}; }
  void operator()(Receive& receive) { found = {&receive.message.operand.view}; }
  void operator()(Exchange& exchange) {
    for (auto* messages : {&exchange.sends, &exchange.receives})
      for (Message& message : *messages) found.push_back(&message.operand.view);
  }
  void operator()(Copy& copy) { found = {&copy.from, &copy.to}; }
  void operator()(Pack& pack) { found = {&pack.from.view, &pack.to}; }
};

}  // namespace

std::vector<View*> views(Action& action) {
  ViewLister lister;
  std::visit(lister, action);
  return std::move(lister.found);
}

const CollectiveCall* collective(const Action& action) {
  return std::get_if<CollectiveCall>(&action);
}

}  // namespace ddlbench::program
