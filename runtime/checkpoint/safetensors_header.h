#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "graph/tensor.h"

namespace ddlbench::runtime {

/// A tensor as a safetensors header tells of it.
struct StoredTensor {
  std::string name;
  std::string dtype;                ///< "F32", "BF16", …
  graph::Shape shape;               ///< {}: a scalar
  std::int64_t begin = 0, end = 0;  ///< bytes, counted from the end of the header
};

std::int64_t elements(const StoredTensor& tensor);

/// Bytes of an element of the format's type "F32", "I64", …; 0 of one that it has not.
std::int64_t bytes_of_stored_type(std::string_view dtype);
/// What the format calls a type, and the bytes of one element of it.
std::string stored_type(graph::DType dtype);

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<StoredTensor> tensors;  ///< in the order of their bytes
};

/// The longest header that is read: what the format's own library allows.
inline constexpr std::int64_t longest_header = 100'000'000;

/// Throws InputError, naming `file`, the tensor and what is wrong, unless the header is what the format asks for, each
/// name stands once, each size is its shape's, and the tensors fill the file's `data_bytes` without a gap or an
/// overlap.
SafetensorsHeader parse_header(std::string_view json, std::int64_t data_bytes, const std::string& file);

/// The header as text, filled up with spaces to a multiple of 8 bytes, for tensors that lie one after another in their
/// order: begin and end are set here.
std::string write_header(SafetensorsHeader& header);

}  // namespace ddlbench::runtime
