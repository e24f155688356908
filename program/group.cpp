#include <fmt/core.h>
#include <algorithm>

#include "base/error.h"
#include "program/mesh.h"

namespace ddlbench::program {
namespace {

const Mesh& mesh_at(const std::vector<Mesh>& meshes, int index) {
  if (index < 0 || static_cast<std::size_t>(index) >= meshes.size())
    throw ContractError(fmt::format("mesh {} of a plan that has {}", index, meshes.size()));
  return meshes[static_cast<std::size_t>(index)];
}

bool same_axes(const Mesh& a, const Mesh& b) {
  return std::equal(a.axes().begin(), a.axes().end(), b.axes().begin(), b.axes().end(),
                    [](const Axis& x, const Axis& y) { return x.name == y.name; });
}

int apply(const CoordinateRule& rule, int own, int size) {
  switch (rule.kind) {
    case CoordinateRule::Kind::keep:
      return own;
    case CoordinateRule::Kind::offset:
      return own + rule.value;
    case CoordinateRule::Kind::rotated:
      return ((own + rule.value) % size + size) % size;
    case CoordinateRule::Kind::fixed:
      return rule.value;
    case CoordinateRule::Kind::mirrored:
      return size - 1 - own;
  }
  throw ContractError("unknown coordinate rule");
}

/// Returns the ascending coordinates that a group takes on each of its axes.
std::vector<std::vector<int>> chosen_coordinates(const Group& group, const Mesh& mesh) {
  if (!group.only.empty() && group.only.size() != group.axes.size())
    throw ContractError(fmt::format("a group over {} axes restricts {}", group.axes.size(), group.only.size()));
  std::vector<std::vector<int>> chosen(group.axes.size());
  for (std::size_t i = 0; i < group.axes.size(); ++i) {
    if (!mesh.find(group.axes[i]))
      throw ContractError(fmt::format("a group over axis '{}', which mesh {} lacks", group.axes[i], mesh.to_string()));
    const int size = mesh.size_of(group.axes[i]);
    if (group.only.empty() || group.only[i].empty()) {
      for (int c = 0; c < size; ++c) chosen[i].push_back(c);
      continue;
    }
    chosen[i] = group.only[i];
    std::sort(chosen[i].begin(), chosen[i].end());
    if (std::adjacent_find(chosen[i].begin(), chosen[i].end()) != chosen[i].end())
      throw ContractError("a group takes a coordinate of axis '" + group.axes[i] + "' twice");
    if (chosen[i].front() < 0 || chosen[i].back() >= size)
      throw ContractError(fmt::format("a group takes coordinate {} of axis '{}', which has size {}",
                                      chosen[i].front() < 0 ? chosen[i].front() : chosen[i].back(), group.axes[i],
                                      size));
  }
  return chosen;
}

}  // namespace

int resolve(const Peer& peer, const std::vector<Mesh>& meshes, int own_mesh, int rank) {
  const Mesh& target = mesh_at(meshes, peer.mesh);
  const Mesh& own = mesh_at(meshes, own_mesh);
  if (peer.rules.size() != target.axes().size())
    throw ContractError(fmt::format("a peer with {} rules in mesh {} of {} axes", peer.rules.size(), target.to_string(),
                                    target.axes().size()));
  const bool comparable = same_axes(own, target);
  const Coordinates mine = own.coordinates_of(rank);
  Coordinates theirs(peer.rules.size());
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    if (!comparable && peer.rules[i].kind != CoordinateRule::Kind::fixed)
      throw ContractError(fmt::format("a peer in mesh {} seen from mesh {} of other axes must be fixed",
                                      target.to_string(), own.to_string()));
    theirs[i] = apply(peer.rules[i], comparable ? mine[i] : 0, target.axes()[i].size);
  }
  return target.rank_at(theirs);
}

std::vector<int> members(const Group& group, const std::vector<Mesh>& meshes, int rank) {
  const Mesh& mesh = mesh_at(meshes, group.mesh);
  const std::vector<std::vector<int>> chosen = chosen_coordinates(group, mesh);
  std::vector<Coordinates> reached{mesh.coordinates_of(rank)};
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto axis = static_cast<std::size_t>(*mesh.find(group.axes[i]));
    std::vector<Coordinates> next;
    for (const Coordinates& from : reached)
      for (int c : chosen[i]) {
        next.push_back(from);
        next.back()[axis] = c;
      }
    reached = std::move(next);
  }
  std::vector<int> ranks;
  for (const Coordinates& coordinates : reached) ranks.push_back(mesh.rank_at(coordinates));
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

int member_count(const Group& group, const std::vector<Mesh>& meshes) {
  int count = 1;
  for (const std::vector<int>& coordinates : chosen_coordinates(group, mesh_at(meshes, group.mesh)))
    count *= static_cast<int>(coordinates.size());
  return count;
}

}  // namespace ddlbench::program
