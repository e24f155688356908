#pragma once

#include "graph/file_layout.h"
#include "graph/graph.h"

namespace ddlbench::workloads {

/// How Hugging Face's GPT2LMHeadModel calls and stores the parameters of a model in GPT-2's form, whose names are those
/// of GPT2Model: linear layers are [inputs, outputs] ("Conv1D"), and the outputs of c_attn are query, key and value of
/// all heads one after another. Files of GPT2Model have no "transformer." before the names. Masks of attention that
/// older files have, and the head of a tied model, which is the embedding's table again, are not read.
graph::FileNames gpt2_file_names(const graph::Graph& model, std::int64_t head_size);

}  // namespace ddlbench::workloads
