#pragma once

#include <vector>

#include "program/program.h"

namespace ddlbench::strategies {

/// A send and the receive from the same peer that comes right after it become one exchange. Neighbours that
/// send to each other at the same time, as in 1F1B, would otherwise wait for each other for ever where a send
/// waits for its receiver.
void pair_messages(std::vector<program::Instruction>& body);

}  // namespace ddlbench::strategies
