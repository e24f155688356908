#pragma once

#include <cstdint>
#include <functional>

#include "program/plan.h"

namespace ddlbench::runtime {

/// Writes the initial values of `held` to dense memory `host`, in the element order of the device. Element i (row-major
/// in the whole) of tensor t, or of the tensor named by `drawn_as`, is drawn from Philox with key (seed,
/// initialization, t) and counter i: uniform numbers from its first word, normal ones from its first two by the
/// Box–Muller method. A shard therefore holds the same values as that part of the whole tensor.
void draw(const program::HeldState& held, std::uint64_t seed, float* host);

/// Draws all parameters of a rank, and all states that are drawn like one, and passes them on in pieces.
void draw_state(const program::Plan& plan, int rank, std::uint64_t seed,
                const std::function<void(const program::HeldState&, const float*)>& write);

}  // namespace ddlbench::runtime
