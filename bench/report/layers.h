#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace ddlbench::bench {

/// One node of a model, and its costs for the batch of the graph.
struct Layer {
  std::string name;
  std::string op;
  std::string attributes;
  std::string output;           ///< "f32[64x10]"
  std::int64_t parameters = 0;  ///< those that no earlier layer uses
  double forward_flops = 0;
  double backward_input_flops = 0;
  double backward_weight_flops = 0;
  std::int64_t output_bytes = 0;  ///< bytes that it writes; 0 for views and metrics
  std::int64_t kept_bytes = 0;    ///< the part of these that the backward pass reads
};

/// Returns the layers of a forward graph, in order. FLOPs follow the formulas of the ops; a multiply-add counts as two.
std::vector<Layer> layers_of(const graph::Graph& forward);

/// Returns the sums of all columns, named "total".
Layer total_of(const std::vector<Layer>& layers);

/// Returns a table for people, with the total in the last row.
std::string layers_text(const std::vector<Layer>& layers);
std::string layers_csv(const std::vector<Layer>& layers);  ///< without the total

}  // namespace ddlbench::bench
