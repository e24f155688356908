#pragma once

#include <map>
#include <string>

#include "graph/file_layout.h"
#include "runtime/checkpoint/safetensors.h"

namespace ddlbench::runtime {

/// Whole tensors by their names in ddlbench.
using TensorTypes = std::map<std::string, graph::TensorType>;

/// The stored tensor that corresponds to a tensor of the model.
struct Match {
  StoredTensor stored;
  graph::FileLayout layout;
};

/// Finds each of `wanted` in the file. Throws one InputError that lists missing tensors, tensors that the model lacks,
/// and tensors of a wrong shape or an unsupported type: the number of each kind and the names of the first 20. Ignores
/// `names.ignored` and the batch counts that torchvision stores beside running statistics.
std::map<std::string, Match> match(const SafetensorsReader& file, const TensorTypes& wanted,
                                   const graph::FileNames& names);

/// Suffixes of the names that torchvision uses for running means and for the batch count that it requires beside them.
inline constexpr const char* running_mean = ".running_mean";
inline constexpr const char* batches_tracked = ".num_batches_tracked";

}  // namespace ddlbench::runtime
