#pragma once

#include "workloads/dataset.h"

namespace ddlbench::workloads {

/// `data`, each sample of it kept in memory when it is first read: a later reading copies it. For data sets whose
/// samples depend on their index alone, and were no bytes. Throws InputError where all samples take more than 4 GiB.
std::unique_ptr<Dataset> keep_samples(std::unique_ptr<Dataset> data);

}  // namespace ddlbench::workloads
