#pragma once

#include <vector>

#include "comm/communicator.h"

namespace ddlbench::comm {

// What every transport asks of a call, by a group of `size`: ContractError where it is not so.

void check_call(const Reduce& call);
void check_call(const Parts& call, int size);
void check_call(const Redistribute& call, int rank, int size);
void check_call(const Broadcast& call, int size);
void check_call(const std::vector<Outgoing>& sends, const std::vector<Incoming>& receives, int size);

/// Throws InputError where `has` is false: the transport has no such algorithm for the collective.
void require_algorithm(bool has, graph::Collective kind, collectives::Algorithm algorithm,
                       const std::string& transport);

}  // namespace ddlbench::comm
