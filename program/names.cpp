#include "base/enumeration.h"
#include "program/plan.h"

namespace ddlbench::program {

std::string_view name(MemoryClass memory_class) {
  return name_of<MemoryClass::statistics>(memory_class, "parameters", "gradients", "optimizer_state", "activations",
                                          "workspace", "communication", "inputs", "metrics", "packed", "statistics");
}

std::string_view name(Phase phase) {
  return name_of<Phase::optimizer>(phase, "forward", "backward_input", "backward_weight", "recompute", "communication",
                                   "optimizer");
}

std::string_view name(Promise::Kind kind) {
  return name_of<Promise::Kind::lossy>(kind, "exact", "stale", "lossy");
}

}  // namespace ddlbench::program
