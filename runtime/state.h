#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/engine.h"

namespace ddlbench::runtime {

/// Whole tensors by name: what checkpoints store and certificates compare, whatever the sharding.
using Tensors = std::map<std::string, std::vector<float>>;

/// Collects a class of state (parameters, gradients, …) whole on rank 0; empty elsewhere. Collective. Where
/// several ranks hold the same part, the lowest gives it. Throws ContractError on all ranks unless the parts
/// of each tensor cover every element once.
Tensors gather(const Engine& engine, program::MemoryClass memory_class, comm::Communicator& communicator);

}  // namespace ddlbench::runtime
