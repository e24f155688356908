#include "graph/ops/codecs/kind.h"
#include "graph/ops/codecs/layout.h"

namespace ddlbench::graph {

/// A GroupedLayout with codes of 2 bits, without scales: 0 is 0, 1 is +threshold (v ≥ threshold), 3 is −threshold (v ≤
/// −threshold), and 2 is NaN: a NaN or an infinity.
CodecKind two_bit() {
  Option threshold{"threshold", 0.5, "Magnitude that is sent, and from which on it is sent.", 0, {}, 1e30};
  threshold.above = true;
  return {"two_bit",
          "A threshold times -1, 0 or 1; smaller values wait in the residual (MXNet's 2-bit compression).",
          {threshold},
          [](const OptionValues&, std::int64_t elements) {
            return GroupedLayout{elements, GroupedLayout::tile, 2, 0}.bytes();
          },
          2,
          false,
          true};
}

}  // namespace ddlbench::graph
