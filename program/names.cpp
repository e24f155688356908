#include "base/error.h"
#include "program/plan.h"

namespace ddlbench::program {

std::string_view name(MemoryClass memory_class) {
  switch (memory_class) {
    case MemoryClass::parameters:
      return "parameters";
    case MemoryClass::gradients:
      return "gradients";
    case MemoryClass::optimizer_state:
      return "optimizer_state";
    case MemoryClass::activations:
      return "activations";
    case MemoryClass::workspace:
      return "workspace";
    case MemoryClass::communication:
      return "communication";
    case MemoryClass::inputs:
      return "inputs";
    case MemoryClass::metrics:
      return "metrics";
    case MemoryClass::packed:
      return "packed";
    case MemoryClass::statistics:
      return "statistics";
  }
  throw ContractError("unknown memory class");
}

std::string_view name(Phase phase) {
  switch (phase) {
    case Phase::forward:
      return "forward";
    case Phase::backward_input:
      return "backward_input";
    case Phase::backward_weight:
      return "backward_weight";
    case Phase::recompute:
      return "recompute";
    case Phase::communication:
      return "communication";
    case Phase::optimizer:
      return "optimizer";
  }
  throw ContractError("unknown phase");
}

std::string_view name(Promise::Kind kind) {
  switch (kind) {
    case Promise::Kind::exact:
      return "exact";
    case Promise::Kind::stale:
      return "stale";
    case Promise::Kind::lossy:
      return "lossy";
  }
  throw ContractError("unknown promise");
}

}  // namespace ddlbench::program
