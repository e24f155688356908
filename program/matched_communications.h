#pragma once

#include <vector>

#include "program/plan.h"

namespace ddlbench::program {

/// A communication instruction in the body of one rank.
struct Participant {
  int rank = 0;
  InstructionId instruction = none;
};

/// The matched communications of a training step that runs one body, and their participants: the whole group for a
/// collective, sender and receiver for a message.
struct MatchedCommunications {
  std::vector<std::vector<Participant>> members;
  /// By rank and instruction: the matched communications that the instruction takes part in (several for an exchange).
  std::vector<std::vector<std::vector<int>>> of;
};

/// Matches communications as transports do: the k-th collective of a group on one member with the k-th on the others,
/// the k-th message from one rank to another with its k-th receive. Throws ContractError if a communication has no
/// counterpart.
MatchedCommunications match(const Plan& plan, int body);

}  // namespace ddlbench::program
