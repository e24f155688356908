#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "graph/graph.h"
#include "kernels/device.h"

namespace ddlbench::bench {

/// What one node of a model takes on a device by itself. The backward figures are of all nodes of the derivative that
/// belong to it, its activation's among them (of a layer that max pooling alone reads: the pooling's). 0 of a view, and
/// where there is no such half.
struct LayerTimes {
  double forward_seconds = 0;
  double backward_input_seconds = 0;
  double backward_weight_seconds = 0;
  std::int64_t workspace_bytes = 0;  ///< the largest of its kernels'
  double seconds() const { return forward_seconds + backward_input_seconds + backward_weight_seconds; }
};

/// Times the nodes of a forward graph, in order, and with `backward` those of its derivative: layer by layer, so that
/// the memory of one layer suffices. A layer's kernels run in rounds after a warm-up, on small numbers that all differ
/// (runtime::time_computations says how many, and what of them counts), which leaves caches as warm as one layer does.
/// `progress(layer)` is called before each.
std::vector<LayerTimes> time_layers(const graph::Graph& forward, kernels::Device& device, bool backward,
                                    const std::function<void(std::size_t)>& progress = {});

}  // namespace ddlbench::bench
