#include "bench/config/check_throttle.h"

#include <fmt/core.h>
#include <algorithm>

#include "base/counted.h"
#include "bench/config/check_strategies.h"

namespace ddlbench::bench {
namespace {

/// Returns the largest number of ranks of a case. A strategy whose `ranks` contradict its mesh is reported elsewhere.
int most_ranks(const Experiment& experiment, const Devices& devices, const Registries& registries) {
  int most = 0;
  for (const StrategyChoice& strategy : experiment.strategies) {
    try {
      for (const int ranks : ranks_of(strategy, devices, registries)) most = std::max(most, ranks);
    } catch (const InputError&) {
    }
  }
  return most;
}

}  // namespace

void check_throttle(const Experiment& experiment, const Registries& registries, std::vector<json::Problem>& problems) {
  for (const Variant& variant : experiment.variants) {
    const Throttle& throttle = variant.devices.throttle;
    const comm::Stall& stall = throttle.link.stall;
    const auto report = [&](const char* setting, std::string what) {
      const std::string pointer = variant.pointer_of(fmt::format("/devices/throttle/{}", setting));
      problems.push_back({location_of(experiment.locations, pointer), pointer, std::move(what)});
    };
    const int ranks = most_ranks(experiment, variant.devices, registries);
    const auto check_rank = [&](const char* setting, int rank) {
      if (rank < ranks || ranks == 0) return;
      report(setting,
             fmt::format("no case has a rank {}: the largest has {}, counted from 0", rank, counted(ranks, "rank")));
    };
    if (throttle.slowdown > 1) check_rank("slow_rank", throttle.slow_rank);
    if (stall.rank) check_rank("stall/rank", *stall.rank);
    if (!stall.rank && (stall.seconds > 0 || stall.after_seconds > 0 || stall.after_bytes > 0)) {
      report("stall", "has no effect without a rank: name the rank whose link stalls in devices/throttle/stall/rank");
    }
  }
}

}  // namespace ddlbench::bench
