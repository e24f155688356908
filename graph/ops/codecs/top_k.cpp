#include "graph/ops/codecs/kind.h"
#include "graph/ops/codecs/layout.h"

namespace ddlbench::graph {

/// A SelectedLayout of the k elements with the largest |v|, and their values. Of equal magnitudes, those with lower
/// indices are selected first. D is v where it is selected, and 0 elsewhere. NaN is larger than infinity.
CodecKind top_k() {
  return {"top_k",
          "The elements of the largest magnitudes, exactly (deep gradient compression, Lin et al. 2018).",
          {density_option(0.001)},
          [](const OptionValues& options, std::int64_t elements) {
            const std::int64_t k = selected_of(value_of<double>(options, "density"), elements);
            return SelectedLayout{elements, k, k}.bytes();
          },
          1,
          false,
          true,
          nullptr,
          true};
}

}  // namespace ddlbench::graph
