#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ddlbench::graph {

/// The distribution of a tensor over the ranks of one mesh axis (the placements of GSPMD, OneFlow and DTensor).
struct Placement {
  enum class Kind : std::uint8_t {
    replicated,   ///< every rank has the whole tensor
    sharded,      ///< rank i has part_of(size of the dimension, ranks, i, unit)
    partial_sum,  ///< the tensor is the sum of the ranks' tensors
    partial_max,  ///< the tensor is the elementwise maximum of the ranks' tensors
  };
  Kind kind = Kind::replicated;
  int dimension = 0;      ///< only for `sharded`
  std::int64_t unit = 1;  ///< for `sharded`: parts are multiples of it (the pixels of a channel, the size of a head)

  bool operator==(const Placement&) const = default;
  bool is_partial() const { return kind == Kind::partial_sum || kind == Kind::partial_max; }
};

Placement replicated();
Placement sharded(int dimension, std::int64_t unit = 1);
Placement partial_sum();

std::string to_string(Placement placement);  ///< "R", "S(1)", "S(1/16)" with a unit, "P(sum)", "P(max)"

/// One combination of placements with which an op runs on the ranks of one axis without communication: those that its
/// inputs must have, and those of its outputs. Units may be scaled together: flatten maps S(1) with unit 1 to S(1) with
/// unit H·W, so it also maps unit 2 to unit 2·H·W. A linear layer supports any unit, which must be the same in all
/// placements of the signature.
struct Signature {
  std::vector<Placement> inputs;
  std::vector<Placement> outputs;
};

/// The collectives that change one placement into another.
enum class Collective : std::uint8_t {
  all_reduce,      ///< P -> R
  reduce_scatter,  ///< P -> S
  all_gather,      ///< S -> R
  all_to_all,      ///< S -> S'
  broadcast,
};

std::string_view name(Collective collective);

enum class Reduction : std::uint8_t { sum, max };

}  // namespace ddlbench::graph
