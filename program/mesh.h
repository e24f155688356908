#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddlbench::program {

/// One coordinate for each axis of a mesh.
using Coordinates = std::vector<int>;

struct Axis {
  std::string name;  ///< "data", "tensor", "pipeline", …
  int size = 1;
  bool operator==(const Axis&) const = default;
};

/// A box of consecutive ranks with named axes; the last axis varies fastest. A plan may have several meshes (stages of
/// unequal degree), and they may overlap. Most plans have one mesh over all ranks.
class Mesh {
 public:
  Mesh() = default;
  /// Throws InputError with all the numbers unless all sizes are positive and the names are distinct.
  explicit Mesh(std::vector<Axis> axes, int first_rank = 0);

  const std::vector<Axis>& axes() const { return axes_; }
  int first_rank() const { return first_rank_; }
  int size() const;
  bool contains(int rank) const;

  std::optional<int> find(std::string_view axis) const;
  int size_of(std::string_view axis) const;  ///< 1 if there is no such axis
  int rank_at(const Coordinates& coordinates) const;
  Coordinates coordinates_of(int rank) const;

  std::string to_string() const;  ///< "pipeline=2 data=2"; "1" without axes

 private:
  std::vector<Axis> axes_;
  int first_rank_ = 0;
};

/// Throws InputError ("mesh data=2 x pipeline=3 has 6 ranks, but the case has 4") if the mesh size differs from
/// `ranks`.
void require_ranks(const Mesh& mesh, int ranks);

/// Derives one coordinate of a peer from the rank's own coordinate, so that one program serves all ranks of a role.
struct CoordinateRule {
  enum class Kind : unsigned char { keep, offset, rotated, fixed, mirrored };
  Kind kind = Kind::keep;
  int value = 0;  ///< offset: added without wrapping; rotated: added modulo the size; fixed: the coordinate itself
  bool operator==(const CoordinateRule&) const = default;
};

/// Another rank, given as a map from the own coordinates into mesh `mesh` of the plan. If the axes of the two meshes
/// differ, every rule must be `fixed`.
struct Peer {
  int mesh = 0;
  std::vector<CoordinateRule> rules;  ///< one for each axis of that mesh
  bool operator==(const Peer&) const = default;
};

/// The ranks that differ from the own rank only in the coordinates of `axes`. If `only[i]` is not empty, coordinates on
/// axis i are restricted to that list. Members are ordered by rank, and a member's position is its rank in the group.
struct Group {
  int mesh = 0;
  std::vector<std::string> axes;
  std::vector<std::vector<int>> only;  ///< empty, or one list for each axis
  bool operator==(const Group&) const = default;
};

/// Returns the peer of `rank`, which lies in mesh `own_mesh`. Throws ContractError if the peer lies outside its mesh.
int resolve(const Peer& peer, const std::vector<Mesh>& meshes, int own_mesh, int rank);

/// Returns the members in ascending order, without `rank` itself if `only` excludes it. Throws ContractError if `rank`
/// is outside the group's mesh, or if the mesh lacks one of the axes or coordinates.
std::vector<int> members(const Group& group, const std::vector<Mesh>& meshes, int rank);

/// Returns the number of members of the group, which is the same for each of them.
int member_count(const Group& group, const std::vector<Mesh>& meshes);

}  // namespace ddlbench::program
