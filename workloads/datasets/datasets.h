#pragma once

#include "workloads/dataset.h"

namespace ddlbench::workloads {

#define DDLBENCH_DATASET(name) DatasetKind name();
#include "workloads/datasets/datasets.def"
#undef DDLBENCH_DATASET

}  // namespace ddlbench::workloads
