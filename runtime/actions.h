#pragma once

#include "program/program.h"

namespace ddlbench::runtime {

/// A collective, send, receive or exchange: started, left in flight, and waited for.
bool is_communication(const program::Instruction& instruction);

/// What a communication takes part in, in one form: a collective, or messages sent and received together.
struct Messages {
  std::vector<const program::Message*> sends;
  std::vector<const program::Message*> receives;
};

/// Of a send, receive or exchange; empty for all else.
Messages messages(const program::Action& action);

/// nullptr unless `action` is a collective.
const program::CollectiveCall* collective(const program::Action& action);

}  // namespace ddlbench::runtime
