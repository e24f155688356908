#pragma once

#include <string>

#include "workloads/model.h"

namespace ddlbench::workloads {

/// A transformer in GPT-2's form (Radford et al. 2019).
struct TransformerSizes {
  std::int64_t layers = 1;
  std::int64_t heads = 1;
  std::int64_t hidden = 1;
  std::int64_t vocabulary = 0;  ///< 0: that of the data set
  double dropout = 0;           ///< of the embeddings and of what blocks add to the residual stream
  bool tied = true;             ///< the embedding's table is the head's weight too
  bool fused_head = false;      ///< the head with its loss, in chunks
};

/// Throws InputError unless the samples are texts of known tokens, and hidden divides into heads.
graph::Graph build_transformer(const std::string& name, const ModelRequest& request, const TransformerSizes& sizes);

}  // namespace ddlbench::workloads
