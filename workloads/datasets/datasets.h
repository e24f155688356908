#pragma once

#include "workloads/dataset.h"

namespace ddlbench::workloads {

DatasetKind idx();
DatasetKind synthetic();

}  // namespace ddlbench::workloads
