#include "graph/placement.h"

#include <fmt/core.h>

#include "base/enumeration.h"
#include "base/error.h"

namespace ddlbench::graph {

Placement replicated() {
  return {};
}
Placement sharded(int dimension, std::int64_t unit) {
  return {Placement::Kind::sharded, dimension, unit};
}
Placement partial_sum() {
  return {Placement::Kind::partial_sum, 0, 1};
}

std::string to_string(Placement placement) {
  switch (placement.kind) {
    case Placement::Kind::replicated:
      return "R";
    case Placement::Kind::sharded:
      return fmt::format("S({}{})", placement.dimension, placement.unit == 1 ? "" : fmt::format("/{}", placement.unit));
    case Placement::Kind::partial_sum:
      return "P(sum)";
    case Placement::Kind::partial_max:
      return "P(max)";
  }
  throw ContractError("unknown placement");
}

std::string_view name(Collective collective) {
  return name_of<Collective::broadcast>(collective, "all_reduce", "reduce_scatter", "all_gather", "all_to_all",
                                        "broadcast");
}

}  // namespace ddlbench::graph
