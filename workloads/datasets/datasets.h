#pragma once

#include "workloads/dataset.h"

namespace ddlbench::workloads {

DatasetKind cifar();
DatasetKind idx();
DatasetKind image_folder();
DatasetKind synthetic();
DatasetKind synthetic_text();
DatasetKind text();

}  // namespace ddlbench::workloads
