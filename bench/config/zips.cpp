#include "bench/config/zips.h"

namespace ddlbench::bench {

Zips::Zips(const std::vector<std::vector<std::string>>& groups) : count_(groups.size()) {
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (const std::string& setting : groups[i]) groups_[setting] = static_cast<int>(i);
}

int Zips::group_of(const std::string& setting) const {
  const auto found = groups_.find(setting);
  return found == groups_.end() ? none : found->second;
}

Zips::Places Zips::places_of(const std::vector<AxisValue>& axes) const {
  Places places(count_, none);
  if (count_ == 0) return places;
  for (const AxisValue& axis : axes) {
    if (const int group = group_of(axis.setting); group != none)
      places[static_cast<std::size_t>(group)] = static_cast<int>(axis.index);
  }
  return places;
}

bool Zips::join(Places& places, const Places& more) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (more[i] == none) continue;
    if (places[i] != none && places[i] != more[i]) return false;
    places[i] = more[i];
  }
  return true;
}

bool Zips::join(Places& places, const std::string& setting, std::size_t size, std::size_t index) const {
  const int group = count_ == 0 || size < 2 ? none : group_of(setting);
  if (group == none) return true;
  int& place = places[static_cast<std::size_t>(group)];
  if (place != none && place != static_cast<int>(index)) return false;
  place = static_cast<int>(index);
  return true;
}

}  // namespace ddlbench::bench
