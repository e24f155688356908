#pragma once

#include "program/program.h"

namespace ddlbench::program {

/// Returns true for a collective, send, receive or exchange. These are started, stay in flight, and are waited for
/// later.
bool is_communication(const Instruction& instruction);

std::size_t count_communications(const Instructions& instructions);

/// The point-to-point messages of one communication instruction.
struct Messages {
  std::vector<const Message*> sends;
  std::vector<const Message*> receives;
};

/// Returns the messages of a send, receive or exchange, and an empty struct for every other action.
Messages messages(const Action& action);

/// Returns all views of an action, to change them. Some may be empty.
std::vector<View*> views(Action& action);

/// Returns nullptr unless `action` is a collective.
const CollectiveCall* collective(const Action& action);

}  // namespace ddlbench::program
