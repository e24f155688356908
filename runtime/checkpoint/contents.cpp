#include "runtime/checkpoint/contents.h"

#include <set>

namespace ddlbench::runtime {

using program::MemoryClass;

namespace {

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

std::optional<Content> content_of(const program::HeldState& held, bool as_equal) {
  const bool is_own = held.shard->copies == program::Copies::own && !as_equal;
  const std::string tensor = is_own ? held.tensor() : held.shard->tensor;
  for (const Class& one : classes) {
    if (one.memory_class != held.shard->memory_class) continue;
    const std::optional<std::string> mastered = program::parameter_of_master(tensor);
    const File file = is_own ? File::state : mastered ? File::weights : one.file;
    return Content{file, mastered.value_or(tensor), mastered.has_value()};
  }
  return std::nullopt;
}

std::map<std::string, StoredState> contents_of(const program::Plan& plan, File file) {
  std::map<std::string, StoredState> kept;
  std::set<int> seen;
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    const bool is_new = seen.insert(plan.role_of_rank[static_cast<std::size_t>(rank)]).second;
    for (const program::StateShard& shard : plan.role(rank).state) {
      if (!is_new && shard.copies != program::Copies::own) continue;
      const program::HeldState held{&shard, {}, shard.view, rank};
      const std::optional<Content> content = content_of(held);
      if (!content || content->file != file) continue;
      if (kept.count(content->tensor) > 0 && !content->is_master) continue;
      kept[content->tensor] = {held.tensor(), shard.whole, shard.memory_class};
    }
  }
  return kept;
}

}  // namespace ddlbench::runtime
