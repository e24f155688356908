#pragma once

#include <string>

#include "graph/dtype.h"

namespace ddlbench::bench {

/// Of parameters, activations and gradients in a precision: "fp32", "bf16", "fp16". Throws InputError for another.
graph::DType type_of_precision(const std::string& precision);

/// The same; "tf32" is how products of f32 are made, and no type.
graph::DType stored_type(const std::string& precision);

}  // namespace ddlbench::bench
