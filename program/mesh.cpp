#include "program/mesh.h"

#include <fmt/core.h>
#include <cstdint>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/join.h"

namespace ddlbench::program {
namespace {

/// Returns the axes as "data=2 x pipeline=3", joined by `separator`, or "1" without axes.
std::string list(const std::vector<Axis>& axes, std::string_view separator) {
  if (axes.empty()) return "1";
  return joined(axes, separator, [](const Axis& axis) { return fmt::format("{}={}", axis.name, axis.size); });
}

void validate(const std::vector<Axis>& axes, int first_rank) {
  std::set<std::string> names;
  std::int64_t product = 1;
  for (const Axis& axis : axes) {
    if (axis.size < 1)
      throw InputError(fmt::format("mesh {}: axis '{}' has size {}, but every axis needs at least 1", list(axes, " x "),
                                   axis.name, axis.size));
    if (axis.name.empty()) throw InputError("mesh " + list(axes, " x ") + ": an axis has no name");
    if (!names.insert(axis.name).second)
      throw InputError(fmt::format("mesh {}: axis '{}' is named twice", list(axes, " x "), axis.name));
    product *= axis.size;
    if (product > std::numeric_limits<int>::max())
      throw InputError(
          fmt::format("mesh {} has more than {} ranks", list(axes, " x "), std::numeric_limits<int>::max()));
  }
  if (first_rank < 0)
    throw InputError(fmt::format("mesh {} begins at rank {}, but ranks count from 0", list(axes, " x "), first_rank));
}

}  // namespace

Mesh::Mesh(std::vector<Axis> axes, int first_rank) : axes_(std::move(axes)), first_rank_(first_rank) {
  validate(axes_, first_rank_);
}

int Mesh::size() const {
  int product = 1;
  for (const Axis& axis : axes_) product *= axis.size;
  return product;
}

bool Mesh::contains(int rank) const {
  return rank >= first_rank_ && rank < first_rank_ + size();
}

std::optional<int> Mesh::find(std::string_view axis) const {
  for (std::size_t i = 0; i < axes_.size(); ++i)
    if (axes_[i].name == axis) return static_cast<int>(i);
  return std::nullopt;
}

int Mesh::size_of(std::string_view axis) const {
  const std::optional<int> index = find(axis);
  return index ? axes_[static_cast<std::size_t>(*index)].size : 1;
}

int Mesh::rank_at(const Coordinates& coordinates) const {
  if (coordinates.size() != axes_.size())
    throw ContractError(fmt::format("mesh {} has {} axes, but {} coordinates are given", to_string(), axes_.size(),
                                    coordinates.size()));
  int rank = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (coordinates[i] < 0 || coordinates[i] >= axes_[i].size)
      throw ContractError(
          fmt::format("coordinate {}={} lies outside mesh {}", axes_[i].name, coordinates[i], to_string()));
    rank = rank * axes_[i].size + coordinates[i];
  }
  return first_rank_ + rank;
}

Coordinates Mesh::coordinates_of(int rank) const {
  if (!contains(rank))
    throw ContractError(fmt::format("rank {} lies outside mesh {} of ranks {} to {}", rank, to_string(), first_rank_,
                                    first_rank_ + size() - 1));
  Coordinates coordinates(axes_.size());
  int rest = rank - first_rank_;
  for (std::size_t i = axes_.size(); i-- > 0;) {
    coordinates[i] = rest % axes_[i].size;
    rest /= axes_[i].size;
  }
  return coordinates;
}

std::string Mesh::to_string() const {
  return list(axes_, " ");
}

void require_ranks(const Mesh& mesh, int ranks) {
  if (mesh.size() == ranks) return;
  throw InputError(
      fmt::format("mesh {} has {} ranks, but the case has {}", list(mesh.axes(), " x "), mesh.size(), ranks));
}

}  // namespace ddlbench::program
