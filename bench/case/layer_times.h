#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "graph/graph.h"
#include "kernels/device.h"

namespace ddlbench::bench {

/// Returns the bytes of all tensors of a graph; views count nothing.
std::int64_t bytes_of_tensors(const graph::Graph& graph);

/// Returns between how many memory locations the operands of a computation, `bytes` in total, should rotate so that a
/// launch finds about as much in caches as it would in a step over `step_bytes` of tensors: nothing if these exceed
/// every cache, everything if the caches hold them. At most 256, so operands of less than 512 KiB stay in some cache.
int places_in_caches(std::int64_t bytes, std::int64_t step_bytes);

/// Times of one node of a model, run alone on a device. The backward times include all nodes of the derivative that
/// belong to it, also its activation's (for a layer whose only consumer is a max pooling: the pooling's). 0 for a view,
/// and where the node has no such part.
struct LayerTimes {
  double forward_seconds = 0;
  double backward_input_seconds = 0;
  double backward_weight_seconds = 0;
  std::int64_t workspace_bytes = 0;  ///< the maximum over its kernels
  double seconds() const { return forward_seconds + backward_input_seconds + backward_weight_seconds; }
};

/// Times layers on a device: the nodes of a forward graph and, with `backward`, those of its derivative, each alone, on
/// small numbers that all differ (runtime::time_computations documents repetitions and estimator). A node's operands
/// rotate between places_in_caches() locations, so that caches are about as warm as in a step.
class LayerTimer {
 public:
  LayerTimer(const graph::Graph& forward, kernels::Device& device, bool backward);
  LayerTimer(const LayerTimer&) = delete;
  LayerTimer& operator=(const LayerTimer&) = delete;
  std::size_t layers() const { return nodes_.size(); }  ///< number of nodes of the forward graph
  LayerTimes time(std::size_t layer) const;

  const graph::Graph& graph() const { return graph_; }  ///< what is timed; with `backward` also the derivative
  /// Returns the nodes that compute a layer, the forward node first.
  const std::vector<const graph::Node*>& nodes(std::size_t layer) const { return nodes_[layer]; }

 private:
  void time(const graph::Node& node, LayerTimes& times) const;

  const graph::Graph graph_;
  kernels::Device& device_;
  std::int64_t step_bytes_;
  std::vector<std::vector<const graph::Node*>> nodes_;
};

/// Times all layers in order. Calls `progress(layer)` before each.
std::vector<LayerTimes> time_layers(const graph::Graph& forward, kernels::Device& device, bool backward,
                                    const std::function<void(std::size_t)>& progress = {});

}  // namespace ddlbench::bench
