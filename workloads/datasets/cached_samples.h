#pragma once

#include "workloads/dataset.h"

namespace ddlbench::workloads {

/// Returns `data` with a cache: each sample is kept in memory when it is first read, and copied from there afterwards.
/// Only for data sets whose samples are neither augmented nor stored as bytes. Throws InputError where the samples take
/// more than 4 GiB.
std::unique_ptr<Dataset> cache_samples(std::unique_ptr<Dataset> data);

}  // namespace ddlbench::workloads
