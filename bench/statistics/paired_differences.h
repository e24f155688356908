#pragma once

#include <map>
#include <vector>

namespace ddlbench::bench {

/// Returns a − b for each key (a round, a seed) that both have, in the order of the keys.
template <class Key>
std::vector<double> paired_differences(const std::map<Key, double>& a, const std::map<Key, double>& b) {
  std::vector<double> found;
  for (const auto& [key, value] : a) {
    if (const auto same = b.find(key); same != b.end()) found.push_back(value - same->second);
  }
  return found;
}

}  // namespace ddlbench::bench
