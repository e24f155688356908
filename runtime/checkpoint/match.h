#pragma once

#include <map>
#include <string>

#include "graph/file_layout.h"
#include "runtime/checkpoint/safetensors.h"

namespace ddlbench::runtime {

/// Whole tensors by ddlbench's names.
using TensorTypes = std::map<std::string, graph::TensorType>;

/// What in a file stands for a tensor.
struct Match {
  StoredTensor stored;
  graph::FileLayout layout;
};

/// For each of `wanted` what stands for it in the file. Throws one InputError that lists what is missing, what the
/// model has not, and what has another shape or no values, with how many and the first 20 of each. `names.ignored`, and
/// the counts of batches that torchvision keeps beside running statistics, are none of the model's and never told.
std::map<std::string, Match> match(const SafetensorsReader& file, const TensorTypes& wanted,
                                   const graph::FileNames& names);

/// The ends of names by which torchvision knows running statistics, and the count that it wants beside them.
inline constexpr const char* running_mean = ".running_mean";
inline constexpr const char* batches_tracked = ".num_batches_tracked";

}  // namespace ddlbench::runtime
