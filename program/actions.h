#pragma once

#include "program/program.h"

namespace ddlbench::program {

/// A collective, send, receive or exchange: started, left in flight, and waited for.
bool is_communication(const Instruction& instruction);

/// What a communication takes part in, in one form: a collective, or messages sent and received together.
struct Messages {
  std::vector<const Message*> sends;
  std::vector<const Message*> receives;
};

/// Of a send, receive or exchange; empty for all else.
Messages messages(const Action& action);

/// nullptr unless `action` is a collective.
const CollectiveCall* collective(const Action& action);

}  // namespace ddlbench::program
