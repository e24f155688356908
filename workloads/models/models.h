#pragma once

#include "workloads/model.h"

namespace ddlbench::workloads {

ModelKind lenet();
ModelKind mlp();

}  // namespace ddlbench::workloads
