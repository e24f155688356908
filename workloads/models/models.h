#pragma once

#include "workloads/model.h"

namespace ddlbench::workloads {

#define DDLBENCH_MODEL(name) ModelKind name();
#include "workloads/models/models.def"
#undef DDLBENCH_MODEL

}  // namespace ddlbench::workloads
