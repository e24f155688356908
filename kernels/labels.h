#pragma once

#include <cstdint>

namespace ddlbench::kernels {

/// Whether label `index` counts: false for −1. Throws InputError naming label and index where it is no class at
/// all: a data set's fault that arithmetic would hide.
bool is_sample(const std::int32_t* labels, std::int64_t index, std::int64_t classes);

/// Throws InputError naming token and position unless all lie in [0, vocabulary).
void require_tokens(const std::int32_t* tokens, std::int64_t count, std::int64_t vocabulary);

}  // namespace ddlbench::kernels
