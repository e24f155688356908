#include <fmt/core.h>

#include "graph/ops/codecs/kind.h"
#include "graph/ops/codecs/layout.h"

namespace ddlbench::graph {

/// A GroupedLayout with one scale, the unit u = ‖v‖₂ / s of the group with s = 2^(bits − 1) − 1 levels. The highest bit
/// of a code is the sign, the others are a level in [0, s]; the level 0 has no sign. D is ±level · u. The level is one
/// of the two next to |v| / u, drawn so that the expectation of D is v.
///
/// u is rounded up to 16 significant bits. The products with levels are then exact, so that each device decodes the
/// same bits, with or without fused multiplications and additions.
///
/// If the norm of a group is not finite, all its values become NaN.
CodecKind qsgd() {
  return {"qsgd",
          "The norm of each group times a level in [-1, 1], drawn without bias (QSGD, Alistarh et al. 2017).",
          {group_option(512), {"bits", std::int64_t{4}, "Bits of an element, with its sign: 2, 4 or 8.", 2, {}, 8}},
          [](const OptionValues& options, std::int64_t elements) {
            return GroupedLayout{elements, value_of<std::int64_t>(options, "group"),
                                 static_cast<int>(value_of<std::int64_t>(options, "bits")), 1}
                .bytes();
          },
          7,
          true,
          false,
          [](const OptionValues& options) {
            auto problems = group_problems(options);
            const auto bits = value_of<std::int64_t>(options, "bits");
            if (bits != 2 && bits != 4 && bits != 8)
              problems.push_back({"bits", fmt::format("must be 2, 4 or 8, but is {}", bits)});
            return problems;
          }};
}

}  // namespace ddlbench::graph
