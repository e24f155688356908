#include "kernels/race.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace ddlbench::kernels {
namespace {

constexpr int most_turns = 20;
constexpr int fewest_turns = 3;
constexpr double patience = 30e-3;   // seconds, in all
constexpr double long_turn = 20e-3;  // seconds; a hiccup of the machine does not treble it
constexpr double clearly = 0.95;

bool suffices(int turns, double spent) {
  return (turns >= fewest_turns && spent >= patience) || (turns >= 2 && spent >= 10 * patience);
}

/// How much longer than the fastest a run may be that wants another turn.
double allowance(int turns, double shortest) {
  if (turns == 1)
    return shortest > 5 * long_turn ? 2 : shortest > long_turn ? 3 : std::numeric_limits<double>::infinity();
  return turns == 2 ? 1.5 : 1.2;
}

}  // namespace

std::size_t race(std::size_t entrants, const std::function<double(std::size_t)>& seconds) {
  std::vector<double> shortest(entrants, std::numeric_limits<double>::infinity());
  std::vector<std::size_t> running(entrants);
  for (std::size_t i = 0; i < entrants; ++i) running[i] = i;
  double spent = 0;
  for (int turns = 1; turns <= most_turns && running.size() > 1; ++turns) {
    for (const std::size_t i : running) {
      const double taken = seconds(i);
      shortest[i] = std::min(shortest[i], taken);
      spent += taken;
    }
    if (suffices(turns, spent)) break;
    const double best = *std::min_element(shortest.begin(), shortest.end());
    std::erase_if(running, [&](std::size_t i) { return shortest[i] > allowance(turns, best) * best; });
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < entrants; ++i) {
    if (shortest[i] < clearly * shortest[best]) best = i;
  }
  return best;
}

}  // namespace ddlbench::kernels
