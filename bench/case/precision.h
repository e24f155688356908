#pragma once

#include <string>

#include "graph/dtype.h"

namespace ddlbench::bench {

/// Returns the type of parameters, activations and gradients in a precision: "fp32", "bf16" or "fp16". Throws
/// InputError for any other.
graph::DType type_of_precision(const std::string& precision);

/// Does the same, and also takes "tf32", whose tensors are f32: it is a mode of computing products and not a type.
graph::DType stored_type(const std::string& precision);

}  // namespace ddlbench::bench
