#pragma once

#include <cstdint>

namespace ddlbench::kernels {

/// Returns whether label `index` counts: false for −1. Throws InputError, which names label and index, if the label is
/// neither −1 nor a class: such a defect of the data set would otherwise go unnoticed.
bool is_sample(const std::int32_t* labels, std::int64_t index, std::int64_t classes);

/// Throws InputError, which names token and index, unless all tokens are in [0, vocabulary).
void require_tokens(const std::int32_t* tokens, std::int64_t count, std::int64_t vocabulary);

}  // namespace ddlbench::kernels
