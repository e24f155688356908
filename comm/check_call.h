#pragma once

#include <vector>

#include "comm/communicator.h"

namespace ddlbench::comm {

// Checks of arguments that all transports make. `size` is the size of the group. Each throws ContractError if the call
// is invalid.

void check_call(const Reduce& call);
void check_call(const Parts& call, int size);
void check_call(const Redistribute& call, int rank, int size);
void check_call(const Broadcast& call, int size);
void check_call(const std::vector<Outgoing>& sends, const std::vector<Incoming>& receives, int size);

/// Throws InputError if `has` is false, that is, if the transport does not have this algorithm for the collective.
void require_algorithm(bool has, graph::Collective kind, collectives::Algorithm algorithm,
                       const std::string& transport);

}  // namespace ddlbench::comm
