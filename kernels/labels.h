#pragma once

#include <cstdint>

namespace ddlbench::kernels {

/// Whether sample `index` counts: false for label −1. Throws InputError naming label and sample where it
/// is no class at all: a data set's fault that arithmetic would hide.
bool is_sample(const std::int32_t* labels, std::int64_t index, std::int64_t classes);

}  // namespace ddlbench::kernels
