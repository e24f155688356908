#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace ddlbench::bench {

/// What one node of a model is and costs, in the batch that the graph is of.
struct Layer {
  std::string name;
  std::string op;
  std::string attributes;
  std::string output;           ///< "f32[64x10]"
  std::int64_t parameters = 0;  ///< that no earlier layer has used
  double forward_flops = 0;
  double backward_input_flops = 0;
  double backward_weight_flops = 0;
  std::int64_t output_bytes = 0;  ///< that it writes; 0 of a view, and of metrics
  std::int64_t kept_bytes = 0;    ///< of these what the backward pass reads
};

/// The layers of a forward graph, in order. FLOPs are the ops' own formulas, a multiply-add counts two.
std::vector<Layer> layers_of(const graph::Graph& forward);

/// The sums of all columns; its name is "total".
Layer total_of(const std::vector<Layer>& layers);

/// A table for people, the total in its last row.
std::string layers_text(const std::vector<Layer>& layers);
std::string layers_csv(const std::vector<Layer>& layers);  ///< without the total

}  // namespace ddlbench::bench
