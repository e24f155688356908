#pragma once

#include <string>

#include "workloads/model.h"

namespace ddlbench::workloads {

/// The sizes of a transformer in GPT-2's form (Radford et al. 2019).
struct TransformerSizes {
  std::int64_t layers = 1;
  std::int64_t heads = 1;
  std::int64_t hidden = 1;
  std::int64_t vocabulary = 0;  ///< 0: that of the data set
  double dropout = 0;           ///< of the embeddings and of the outputs that blocks add to the residual stream
  bool tied = true;             ///< the head shares the embedding's table as its weight
  bool fused_head = false;      ///< fused linear cross-entropy, in chunks
};

/// Builds a transformer. Throws InputError unless the samples are texts whose tokens fit the vocabulary, and the hidden
/// size is a multiple of the number of heads.
graph::Graph build_transformer(const std::string& name, const ModelRequest& request, const TransformerSizes& sizes);

}  // namespace ddlbench::workloads
