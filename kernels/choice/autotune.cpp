#include "kernels/choice/autotune.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace ddlbench::kernels {
namespace {

constexpr int max_turns = 20;
constexpr int enough_runs = 3;            // undisturbed runs of each candidate
constexpr double enough_time = 30e-3;     // seconds in total
constexpr double enough_of_all = 300e-3;  // seconds in total, even if runs were disturbed
constexpr double long_run = 20e-3;  // seconds; a short disturbance of the machine does not triple a run of this length
constexpr double clearly = 0.95;

constexpr double never = std::numeric_limits<double>::infinity();

struct Candidate {
  double shortest = never;
  int undisturbed = 0;  ///< number of undisturbed runs

  void add(Run run) {
    shortest = std::min(shortest, run.seconds);
    if (!run.disturbed) ++undisturbed;
  }
};

/// Returns how many times the shortest time of the fastest candidate a candidate may take and still run again, given
/// its number of undisturbed runs. `shortest` is the shortest time of the fastest, in seconds.
double allowance(int undisturbed, double shortest) {
  if (undisturbed == 0) return never;
  if (undisturbed == 1) return shortest > 5 * long_run ? 2 : shortest > long_run ? 3 : never;
  return undisturbed == 2 ? 1.5 : 1.2;
}

}  // namespace

AutotuneResult autotune(std::size_t count, const std::function<Run(std::size_t)>& run) {
  std::vector<Candidate> candidates(count);
  std::vector<std::size_t> running(count);
  std::iota(running.begin(), running.end(), std::size_t{0});
  const auto all_have_had = [&](int undisturbed) {
    return std::all_of(running.begin(), running.end(),
                       [&](std::size_t i) { return candidates[i].undisturbed >= undisturbed; });
  };
  double spent = 0;
  for (int turns = 1; turns <= max_turns && running.size() > 1; ++turns) {
    double best = never;
    for (const std::size_t i : running) {
      const Run taken = run(i);
      spent += taken.seconds;
      candidates[i].add(taken);
      best = std::min(best, candidates[i].shortest);
    }
    if (spent >= enough_time && all_have_had(enough_runs)) break;
    if (spent >= enough_of_all && turns >= 2) break;
    std::erase_if(running, [&](std::size_t i) {
      return candidates[i].shortest > allowance(candidates[i].undisturbed, best) * best;
    });
  }
  AutotuneResult finish{0, running.size() == 1 || all_have_had(1), {}};
  if (count == 1) return finish;
  for (const Candidate& candidate : candidates) finish.seconds.push_back(candidate.shortest);
  for (std::size_t i = 1; i < count; ++i) {
    if (candidates[i].shortest < clearly * candidates[finish.winner].shortest) finish.winner = i;
  }
  return finish;
}

}  // namespace ddlbench::kernels
