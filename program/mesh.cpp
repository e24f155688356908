#include "program/mesh.h"

#include <cstdint>
#include <limits>
#include <set>

#include "base/error.h"

namespace ddlbench::program {
namespace {

/// Returns the axes as "data=2 x pipeline=3", joined by `separator`, or "1" without axes.
std::string list(const std::vector<Axis>& axes, std::string_view separator) {
  std::string text;
  for (const Axis& axis : axes) {
    if (!text.empty()) text += separator;
    text += axis.name + "=" + std::to_string(axis.size);
  }
  return text.empty() ? "1" : text;
}

void validate(const std::vector<Axis>& axes, int first_rank) {
  std::set<std::string> names;
  std::int64_t product = 1;
  for (const Axis& axis : axes) {
    if (axis.size < 1)
      throw InputError("mesh " + list(axes, " x ") + ": axis '" + axis.name + "' has size " +
                       std::to_string(axis.size) + ", but every axis needs at least 1");
    if (axis.name.empty()) throw InputError("mesh " + list(axes, " x ") + ": an axis has no name");
    if (!names.insert(axis.name).second)
      throw InputError("mesh " + list(axes, " x ") + ": axis '" + axis.name + "' is named twice");
    product *= axis.size;
    if (product > std::numeric_limits<int>::max())
      throw InputError("mesh " + list(axes, " x ") + " has more than " +
                       std::to_string(std::numeric_limits<int>::max()) + " ranks");
  }
  if (first_rank < 0)
    throw InputError("mesh " + list(axes, " x ") + " begins at rank " + std::to_string(first_rank) +
                     ", but ranks count from 0");
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
    throw ContractError("mesh " + to_string() + " has " + std::to_string(axes_.size()) + " axes, but " +
                        std::to_string(coordinates.size()) + " coordinates are given");
  int rank = 0;
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (coordinates[i] < 0 || coordinates[i] >= axes_[i].size)
      throw ContractError("coordinate " + axes_[i].name + "=" + std::to_string(coordinates[i]) + " lies outside mesh " +
                          to_string());
    rank = rank * axes_[i].size + coordinates[i];
  }
  return first_rank_ + rank;
}

Coordinates Mesh::coordinates_of(int rank) const {
  if (!contains(rank))
    throw ContractError("rank " + std::to_string(rank) + " lies outside mesh " + to_string() + " of ranks " +
                        std::to_string(first_rank_) + " to " + std::to_string(first_rank_ + size() - 1));
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
  throw InputError("mesh " + list(mesh.axes(), " x ") + " has " + std::to_string(mesh.size()) +
                   " ranks, but the case has " + std::to_string(ranks));
}

}  // namespace ddlbench::program
