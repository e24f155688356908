#pragma once

#include <algorithm>
#include <utility>
#include <vector>

namespace ddlbench {

/// Returns the value of a key in groups that keep the order in which keys first appeared. A new key is appended, with
/// an empty value.
template <class Key, class Value>
Value& group_of(std::vector<std::pair<Key, Value>>& groups, const Key& key) {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == key; });
  if (found != groups.end()) return found->second;
  return groups.emplace_back(key, Value{}).second;
}

}  // namespace ddlbench
