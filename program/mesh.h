#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ddlbench::program {

/// One coordinate per axis of a mesh.
using Coordinates = std::vector<int>;

struct Axis {
  std::string name;  ///< "data", "tensor", "pipeline", …
  int size = 1;
  bool operator==(const Axis&) const = default;
};

/// A box of consecutive ranks with named axes, the last axis fastest. A plan may own several meshes
/// (stages of unequal degree), which may overlap; the uniform product, one mesh over all ranks, is the common case.
class Mesh {
 public:
  Mesh() = default;
  /// Throws InputError naming every number unless all sizes are positive and names are distinct.
  explicit Mesh(std::vector<Axis> axes, int first_rank = 0);

  const std::vector<Axis>& axes() const { return axes_; }
  int first_rank() const { return first_rank_; }
  int size() const;
  bool contains(int rank) const;

  std::optional<int> find(std::string_view axis) const;
  int size_of(std::string_view axis) const;  ///< 1 where there is no such axis
  int rank_at(const Coordinates& coordinates) const;
  Coordinates coordinates_of(int rank) const;

  std::string to_string() const;  ///< "pipeline=2 data=2"; "1" without axes

 private:
  std::vector<Axis> axes_;
  int first_rank_ = 0;
};

/// Throws InputError ("mesh data=2 x pipeline=3 has 6 ranks, but the case has 4") unless they agree.
void require_ranks(const Mesh& mesh, int ranks);

/// How one coordinate of a peer follows from one's own: one program serves all ranks of a role.
struct CoordinateRule {
  enum class Kind : unsigned char { keep, offset, fixed, mirrored };
  Kind kind = Kind::keep;
  int value = 0;  ///< offset: added (not wrapped); fixed: the coordinate
  bool operator==(const CoordinateRule&) const = default;
};

/// Another rank, as a map of one's own coordinates into mesh `mesh` of the plan. Across meshes of
/// different axes every rule is `fixed`.
struct Peer {
  int mesh = 0;
  std::vector<CoordinateRule> rules;  ///< one per axis of that mesh
  bool operator==(const Peer&) const = default;
};

/// The ranks that differ from one's own in the coordinates of `axes` alone, and there, where
/// `only[i]` is not empty, only in those coordinates. Ordered by rank; one's position is its rank in the group.
struct Group {
  int mesh = 0;
  std::vector<std::string> axes;
  std::vector<std::vector<int>> only;  ///< empty, or one list per axis
  bool operator==(const Group&) const = default;
};

/// The peer of `rank`, which lies in mesh `own_mesh`. Throws ContractError where it lies outside its mesh.
int resolve(const Peer& peer, const std::vector<Mesh>& meshes, int own_mesh, int rank);

/// Ascending. Without `rank` itself where `only` leaves it out. Throws ContractError unless `rank` lies in
/// the group's mesh, and for axes and coordinates that the mesh lacks.
std::vector<int> members(const Group& group, const std::vector<Mesh>& meshes, int rank);

/// How many members the group has, the same seen from each of them.
int member_count(const Group& group, const std::vector<Mesh>& meshes);

}  // namespace ddlbench::program
