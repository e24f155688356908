#pragma once

#include "workloads/model.h"

namespace ddlbench::workloads {

ModelKind lenet();
ModelKind mlp();
ModelKind tiny_gpt();

}  // namespace ddlbench::workloads
