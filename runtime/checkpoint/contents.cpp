#include "runtime/checkpoint/contents.h"

namespace ddlbench::runtime {

using program::MemoryClass;

namespace {

constexpr const char* master = ".master";

struct Class {
  MemoryClass memory_class;
  File file;
};

/// All state that a step leaves for later steps.
constexpr Class classes[] = {
    {MemoryClass::parameters, File::weights},
    {MemoryClass::statistics, File::weights},
    {MemoryClass::optimizer_state, File::state},
};

}  // namespace

std::optional<Content> content_of(const program::StateShard& shard) {
  for (const Class& one : classes) {
    if (one.memory_class != shard.memory_class) continue;
    if (one.file == File::weights || !shard.tensor.ends_with(master)) return Content{one.file, shard.tensor};
    return Content{File::weights, shard.tensor.substr(0, shard.tensor.rfind('.')), true};
  }
  return std::nullopt;
}

std::map<std::string, StoredState> contents_of(const program::Plan& plan, File file) {
  std::map<std::string, StoredState> kept;
  for (const program::Role& role : plan.roles) {
    for (const program::StateShard& shard : role.state) {
      const std::optional<Content> content = content_of(shard);
      if (!content || content->file != file) continue;
      if (kept.count(content->tensor) > 0 && !content->is_master) continue;
      kept[content->tensor] = {shard.tensor, shard.whole, shard.memory_class};
    }
  }
  return kept;
}

}  // namespace ddlbench::runtime
