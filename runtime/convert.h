#pragma once

#include <cstdint>

#include "graph/dtype.h"

namespace ddlbench::runtime {

/// Whether values of it are read and written as f32: f32, bf16, f16.
bool is_float(graph::DType dtype);

/// `count` numbers of a float type to f32, exactly.
void widen(graph::DType from, const void* stored, std::int64_t count, float* values);
/// The reverse, rounded to nearest even.
void narrow(graph::DType to, const float* values, std::int64_t count, void* stored);

}  // namespace ddlbench::runtime
