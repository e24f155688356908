#include "graph/ops/codecs/kind.h"
#include "graph/ops/codecs/layout.h"

namespace ddlbench::graph {

/// A GroupedLayout with codes of one bit, which is 1 if v ≥ 0, and the scales (mean of the negative values, mean of the
/// others); a mean of no values is 0. D is the mean of the element's side.
///
/// A NaN counts as negative: the group's negative values become NaN. So does an infinity its side's mean.
CodecKind one_bit() {
  return {"one_bit",
          "Signs, and the means of the negative and the other values of each group (1-bit SGD, Seide et al. 2014).",
          {group_option(2048)},
          [](const OptionValues& options, std::int64_t elements) {
            return GroupedLayout{elements, value_of<std::int64_t>(options, "group"), 1, 2}.bytes();
          },
          2,
          false,
          true,
          group_problems};
}

}  // namespace ddlbench::graph
