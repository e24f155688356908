#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "graph/graph.h"
#include "kernels/device.h"

namespace ddlbench::bench {

/// Bytes of all that the nodes of a graph read and write.
std::int64_t bytes_of_tensors(const graph::Graph& graph);

/// In how many places a work's operands of `bytes` bytes are to lie by turns, so that a launch finds in caches about
/// what it would in a step over `step_bytes` of tensors: nothing where these exceed every cache, all where the caches
/// hold them. At most 256, so operands of less than 512 KiB stay in some cache.
int places_in_caches(std::int64_t bytes, std::int64_t step_bytes);

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

/// Times layers on a device: the nodes of a forward graph and, with `backward`, those of its derivative, each by itself
/// on small numbers that all differ (runtime::time_computations says how often, and what of the times counts). A node's
/// tensors lie in places_in_caches places by turns, so that caches are about as warm as in a step.
class LayerTimer {
 public:
  LayerTimer(const graph::Graph& forward, kernels::Device& device, bool backward);
  LayerTimer(const LayerTimer&) = delete;
  LayerTimer& operator=(const LayerTimer&) = delete;
  std::size_t layers() const { return nodes_.size(); }  ///< the nodes of the forward graph
  LayerTimes time(std::size_t layer) const;

  const graph::Graph& graph() const { return graph_; }  ///< what is timed: the derivative, too, with `backward`
  /// That compute for a layer, the forward node first.
  const std::vector<const graph::Node*>& nodes(std::size_t layer) const { return nodes_[layer]; }

 private:
  void time(const graph::Node& node, LayerTimes& times) const;

  const graph::Graph graph_;
  kernels::Device& device_;
  std::int64_t step_bytes_;
  std::vector<std::vector<const graph::Node*>> nodes_;
};

/// All layers in order. `progress(layer)` is called before each.
std::vector<LayerTimes> time_layers(const graph::Graph& forward, kernels::Device& device, bool backward,
                                    const std::function<void(std::size_t)>& progress = {});

}  // namespace ddlbench::bench
