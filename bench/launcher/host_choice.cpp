#include "bench/launcher/host_choice.h"

#include <fmt/core.h>
#include <algorithm>

#include "base/counted.h"
#include "base/join.h"

namespace ddlbench::bench {
namespace {

constexpr int most_losses = 1;

/// Returns the name without its domain, which may be missing in one of two places.
std::string short_name(const std::string& host) {
  return host.substr(0, host.find('.'));
}

}  // namespace

bool HostChoice::is_avoided(const LaunchHost& host) const {
  const auto losses = losses_.find(short_name(host.name));
  return losses != losses_.end() && losses->second > most_losses;
}

std::string HostChoice::note_loss(const std::string& host) {
  const auto is_it = [&](const LaunchHost& one) { return short_name(one.name) == short_name(host); };
  const auto found = std::find_if(hosts_.begin(), hosts_.end(), is_it);
  if (found == hosts_.end() || is_avoided(*found)) return "";
  const auto left =
      std::count_if(hosts_.begin(), hosts_.end(), [&](const LaunchHost& one) { return !is_avoided(one); });
  int& losses = losses_[short_name(host)];
  if (losses == most_losses && left == 1) return "";
  ++losses;
  return is_avoided(*found) ? fmt::format("this is the second loss on {}, which further cases avoid", found->name) : "";
}

std::vector<LaunchHost> HostChoice::remaining() const {
  std::vector<LaunchHost> others;
  std::copy_if(hosts_.begin(), hosts_.end(), std::back_inserter(others),
               [&](const LaunchHost& one) { return !is_avoided(one); });
  return others.size() == hosts_.size() ? std::vector<LaunchHost>{} : others;
}

std::string HostChoice::why_too_few(int ranks) const {
  const std::vector<LaunchHost> others = remaining();
  int slots = 0;
  for (const LaunchHost& one : others) slots += one.slots;
  if (others.empty() || ranks <= slots) return "";
  const std::string names = joined(others, ", ", [](const LaunchHost& one) { return one.name; });
  return fmt::format("{} ranks were not started: after losses on other nodes {} with {} in all remain", ranks, names,
                     counted(slots, "task"));
}

}  // namespace ddlbench::bench
