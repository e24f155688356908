#include "graph/ops/codecs/kind.h"
#include "graph/ops/codecs/layout.h"

namespace ddlbench::graph {

/// A GroupedLayout with codes of 2 bits, which are 0, 1 (+) or 3 (−), and one scale: the largest |v|. D is 0 or ±scale;
/// it is not 0 with probability |v| / scale, so that its expectation is v.
///
/// If any value of a group is NaN, so is its scale, and all its values become NaN. An infinity stays an infinity.
CodecKind ternary() {
  return {"ternary",
          "The largest magnitude of each group times -1, 0 or 1, drawn without bias (TernGrad, Wen et al. 2017).",
          {group_option(2048)},
          [](const OptionValues& options, std::int64_t elements) {
            return GroupedLayout{elements, value_of<std::int64_t>(options, "group"), 2, 1}.bytes();
          },
          3,
          true,
          false,
          group_problems};
}

}  // namespace ddlbench::graph
