#pragma once

#include <cstdint>

#include "program/plan.h"

namespace ddlbench::runtime {

/// Initial values of what is held to dense `host` memory, in the order of the device. Element i (row-major in the
/// whole) of tensor t, or of what is drawn as t, is drawn from Philox at key (seed, initialization, t) and counter i:
/// uniform from its first word, normal by Box & Muller from its first two. So a shard holds what the whole would hold
/// there.
void draw(const program::HeldState& held, std::uint64_t seed, float* host);

}  // namespace ddlbench::runtime
