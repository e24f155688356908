#pragma once

#include <map>
#include <optional>
#include <string>

#include "program/plan.h"

namespace ddlbench::runtime {

enum class File : std::uint8_t { weights, state };

/// The tensor and the file of a checkpoint that a state belongs to.
struct Content {
  File file = File::weights;
  std::string tensor;      ///< name in ddlbench
  bool is_master = false;  ///< the f32 master of a weight used in 16 bits; in the file it is the weight
};

/// State of which every rank has its own is in the state file; the mean of such weights is in the weights file. Returns
/// nothing for memory that no later step depends on.
/// `as_equal`: as if all ranks had the same values.
std::optional<Content> content_of(const program::HeldState& held, bool as_equal = false);

/// The state of the plan that a tensor of a file stores. A master takes precedence over the 16-bit weight made from it.
struct StoredState {
  std::string state;  ///< name in the plan
  graph::TensorType type;
  program::MemoryClass memory_class = program::MemoryClass::parameters;
};
std::map<std::string, StoredState> contents_of(const program::Plan& plan, File file);

}  // namespace ddlbench::runtime
