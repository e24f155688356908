#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "kernels/choice/choices.h"

namespace ddlbench::kernels {

struct Run {
  double seconds = 0;
  bool disturbed = false;  ///< by other work on the machine: an undisturbed run may be shorter
};

struct AutotuneResult {
  std::size_t winner = 0;            ///< index of the fastest candidate
  bool reliable = true;              ///< every candidate that was not eliminated had an undisturbed run
  std::vector<double> seconds = {};  ///< the shortest run of each candidate; empty if there was only one
};

/// Returns the fastest of `count` candidates (at least one), by its shortest run. `run(i)` runs candidate i once. The
/// candidates take turns, so that a temporary slowdown of the machine affects all of them. A candidate that is clearly
/// slower after two undisturbed runs, or after one long run, is eliminated. The function ends when 30 ms are spent and
/// each remaining candidate has had three undisturbed runs; or when 300 ms are spent, after at least two turns; or
/// after 20 turns. To win, a candidate must be clearly faster than those before it in the list, so that noise does not
/// decide between equally fast candidates.
AutotuneResult autotune(std::size_t count, const std::function<Run(std::size_t)>& run);

/// Returns the shortest runs with the names of the candidates that were autotuned.
std::vector<Choices::Timed> timed_of(const auto& candidates, const AutotuneResult& result) {
  std::vector<Choices::Timed> timed;
  for (std::size_t i = 0; i < result.seconds.size(); ++i) timed.push_back({candidates[i].name, result.seconds[i]});
  return timed;
}

}  // namespace ddlbench::kernels
