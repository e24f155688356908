#pragma once

#include <cstdint>
#include <vector>

namespace ddlbench::comm {

/// Returns the ID of the group that the members of `parent` make with their split number `occurrence` into these
/// members: an FNV-1a hash over 64-bit words, which all members compute without communicating.
inline std::uint64_t group_id(std::uint64_t parent, const std::vector<int>& members, int occurrence) {
  std::uint64_t hash = 14695981039346656037u;
  const auto mix = [&hash](std::uint64_t word) { hash = (hash ^ word) * 1099511628211u; };
  mix(parent);
  mix(static_cast<std::uint64_t>(occurrence));
  for (const int member : members) mix(static_cast<std::uint64_t>(member));
  return hash;
}

}  // namespace ddlbench::comm
