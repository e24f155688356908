#pragma once

#include <map>
#include <optional>
#include <string>

#include "program/plan.h"

namespace ddlbench::runtime {

enum class File : std::uint8_t { weights, state };

/// Which tensor of which file of a checkpoint a shard is of.
struct Content {
  File file = File::weights;
  std::string tensor;      ///< by ddlbench's name
  bool is_master = false;  ///< the f32 form of a weight that is used in 16 bits: in the file it is the weight
};

/// Nothing of memory on which no later step depends.
std::optional<Content> content_of(const program::StateShard& shard);

/// Of a tensor in a file: what of the plan's state it is, masters before what is used in their place.
struct Kept {
  std::string state;  ///< its name in the plan
  graph::TensorType type;
  program::MemoryClass memory_class = program::MemoryClass::parameters;
};
std::map<std::string, Kept> contents_of(const program::Plan& plan, File file);

}  // namespace ddlbench::runtime
