#pragma once

#include "graph/file_layout.h"
#include "graph/graph.h"

namespace ddlbench::workloads {

/// Returns names and layouts of the parameters of a GPT-2 model in files of Hugging Face's GPT2LMHeadModel. The model's
/// own names are those of GPT2Model. In files, linear layers are [inputs, outputs] ("Conv1D"), and the outputs of
/// c_attn are the queries of all heads, then the keys, then the values. Files of GPT2Model lack the prefix
/// "transformer.". The attention masks of older files are ignored, and so is the head of a tied model, which duplicates
/// the embedding's table.
graph::FileNames gpt2_file_names(const graph::Graph& model, std::int64_t head_size);

}  // namespace ddlbench::workloads
