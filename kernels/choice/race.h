#pragma once

#include <cstddef>
#include <functional>

namespace ddlbench::kernels {

struct Run {
  double seconds = 0;
  bool disturbed = false;  ///< by others on the machine: undisturbed it may take less
};

struct Finish {
  std::size_t winner = 0;  ///< its index
  bool fair = true;        ///< who was not clearly slower had an undisturbed run
};

/// The fastest of `count` entrants (one at least), by the shortest of its runs. `run(i)` runs one once. They take
/// turns, so that a machine that slows down for a while slows all of them; who is clearly slower after two undisturbed
/// runs (after one, where that is long) has no more. Ends where 30 ms are spent and each has had three undisturbed
/// runs, or where 300 ms are spent, but not before two turns; after 20 turns at the latest. A later one must be clearly
/// faster, so that equals do not change places by chance.
Finish race(std::size_t count, const std::function<Run(std::size_t)>& run);

}  // namespace ddlbench::kernels
