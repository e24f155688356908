#pragma once

#include <cstdint>

#include "graph/ops/codec.h"
#include "kernels/binding.h"

/// Sizes of the ops of graph/ops/codec.h. Each function throws InputError if the types are inconsistent.
namespace ddlbench::kernels {

struct EncodeSizes {
  std::int64_t elements = 0;
  std::int64_t selected = 0;  ///< of a codec that selects elements
  bool feedback = false;
};

struct DecodeSizes {
  std::int64_t elements = 0;
  std::int64_t selected = 0;
  std::int64_t parts = 1;
  std::int64_t payload_bytes = 0;  ///< of one part
};

EncodeSizes sizes_of_encode(const Binding& binding);
DecodeSizes sizes_of_decode(const Binding& binding);

}  // namespace ddlbench::kernels
