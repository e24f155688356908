#include "graph/ops/codecs/kind.h"
#include "graph/ops/codecs/layout.h"

namespace ddlbench::graph {

/// A SelectedLayout of k elements and one value: the k largest v and their mean if that is at least minus the mean of
/// the k smallest v, otherwise these. Of equal values, those with lower indices are selected first. D is the mean where
/// an element is selected, and 0 elsewhere. (The paper encodes the positions with a variable length.)
///
/// A NaN counts as the largest and as the smallest, so that the mean is NaN.
CodecKind sparse_binary() {
  return {"sparse_binary",
          "The largest or the smallest values, as their mean (sparse binary compression, Sattler et al. 2019).",
          {density_option(0.01)},
          [](const OptionValues& options, std::int64_t elements) {
            const std::int64_t k = selected_of(value_of<double>(options, "density"), elements);
            return SelectedLayout{elements, k, k > 0 ? 1 : 0}.bytes();
          },
          2,
          false,
          true};
}

}  // namespace ddlbench::graph
