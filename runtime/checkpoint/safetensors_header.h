#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "graph/tensor.h"

namespace ddlbench::runtime {

/// A tensor as described by a safetensors header.
struct StoredTensor {
  std::string name;
  std::string dtype;                ///< "F32", "BF16", …
  graph::Shape shape;               ///< {}: a scalar
  std::int64_t begin = 0, end = 0;  ///< bytes, counted from the end of the header
};

std::int64_t elements(const StoredTensor& tensor);

/// Returns the bytes per element of a type of the format ("F32", "I64", …), or 0 for an unknown type.
std::int64_t bytes_of_stored_type(std::string_view dtype);
/// Returns the name of a type in the format.
std::string stored_type(graph::DType dtype);

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<StoredTensor> tensors;  ///< ordered by offset
};

/// The longest header that is read: the limit of the format's own library.
inline constexpr std::int64_t longest_header = 100'000'000;

/// Parses and validates a header. Throws InputError naming `file`, the tensor and the defect unless the header conforms
/// to the format, names are unique, each size matches its shape, and the tensors fill the file's `data_bytes` without
/// gaps or overlaps.
SafetensorsHeader parse_header(std::string_view json, std::int64_t data_bytes, const std::string& file);

/// Returns the header as text, padded with spaces to a multiple of 8 bytes. Sets `begin` and `end` of the tensors,
/// which lie one after another in their order.
std::string write_header(SafetensorsHeader& header);

}  // namespace ddlbench::runtime
