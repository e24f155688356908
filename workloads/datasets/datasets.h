#pragma once

#include "workloads/dataset.h"

namespace ddlbench::workloads {

DatasetKind idx();
DatasetKind synthetic();
DatasetKind text();

}  // namespace ddlbench::workloads
