#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ddlbench::graph {

/// How a tensor lies over the ranks of one mesh axis (the placements of GSPMD, OneFlow and DTensor).
struct Placement {
  enum class Kind : std::uint8_t {
    replicated,   ///< every rank holds the whole
    sharded,      ///< rank i holds part_of(size of dimension, ranks, i, unit)
    partial_sum,  ///< the whole is the sum of what the ranks hold
    partial_max,  ///< the whole is the elementwise maximum of what the ranks hold
  };
  Kind kind = Kind::replicated;
  int dimension = 0;      ///< of `sharded` alone
  std::int64_t unit = 1;  ///< of `sharded`: parts are multiples of it (the pixels of a channel, the size of a head)

  bool operator==(const Placement&) const = default;
  bool is_partial() const { return kind == Kind::partial_sum || kind == Kind::partial_max; }
};

Placement replicated();
Placement sharded(int dimension, std::int64_t unit = 1);
Placement partial_sum();

std::string to_string(Placement placement);  ///< "R", "S(1)", "S(1/16)" with a unit, "P(sum)", "P(max)"

/// One way in which an op runs over the ranks of one axis without communication: where its inputs
/// must lie, and where its outputs then lie. Units are in proportion: flatten maps S(1) of unit 1 to S(1)
/// of unit H·W, so it maps unit 2 to 2·H·W; a linear layer takes any unit, the same for all it names.
struct Signature {
  std::vector<Placement> inputs;
  std::vector<Placement> outputs;
};

/// The kinds of collective that turn one placement into another.
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
