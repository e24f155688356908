#pragma once

#include <cstddef>
#include <functional>

namespace ddlbench::kernels {

/// The index of the fastest of `entrants` (one at least), by the shortest of its runs. `seconds(i)` runs one once.
/// They take turns, so that a machine that slows down for a while slows all of them; who is clearly slower after two
/// turns (after one, where that is long) has no more. Ends after 20 turns, or where 30 ms are spent, but not before
/// three, of long ones two. A later one must be clearly faster, so that equals do not change places by chance.
std::size_t race(std::size_t entrants, const std::function<double(std::size_t)>& seconds);

}  // namespace ddlbench::kernels
