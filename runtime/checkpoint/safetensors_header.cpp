#include "runtime/checkpoint/safetensors_header.h"

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "runtime/checkpoint/header_reader.h"

namespace ddlbench::runtime {
namespace {

struct StoredType {
  std::string_view name;
  std::int64_t bytes;
};

constexpr std::array<StoredType, 15> stored_types{{{"BOOL", 1},
                                                   {"U8", 1},
                                                   {"I8", 1},
                                                   {"F8_E4M3", 1},
                                                   {"F8_E5M2", 1},
                                                   {"I16", 2},
                                                   {"U16", 2},
                                                   {"F16", 2},
                                                   {"BF16", 2},
                                                   {"I32", 4},
                                                   {"U32", 4},
                                                   {"F32", 4},
                                                   {"F64", 8},
                                                   {"I64", 8},
                                                   {"U64", 8}}};

[[noreturn]] void reject(const std::string& file, const StoredTensor& tensor, const std::string& what) {
  throw InputError(fmt::format("{}: tensor {} {}", file, shown(tensor.name), what));
}

/// Returns the number of bytes that the shape implies, or −1 if no file could hold them.
std::int64_t wanted_bytes(const StoredTensor& tensor) {
  std::int64_t bytes = bytes_of_stored_type(tensor.dtype);
  for (const std::int64_t size : tensor.shape) {
    if (size < 0 || __builtin_mul_overflow(bytes, size, &bytes)) return -1;
  }
  return bytes;
}

void check_tensor(const StoredTensor& tensor, const std::string& file) {
  if (bytes_of_stored_type(tensor.dtype) == 0) reject(file, tensor, "has the unknown type " + shown(tensor.dtype));
  const std::int64_t wanted = wanted_bytes(tensor);
  const std::string what = fmt::format("{}[{}]", tensor.dtype, graph::to_string(tensor.shape));
  if (wanted < 0) reject(file, tensor, "has the impossible shape " + what);
  if (tensor.begin > tensor.end) {
    reject(file, tensor, fmt::format("begins at byte {}, after its end {}", tensor.begin, tensor.end));
  }
  if (tensor.end - tensor.begin != wanted) {
    reject(file, tensor, fmt::format("has {} bytes, but {} takes {}", tensor.end - tensor.begin, what, wanted));
  }
}

void check_places(const std::vector<StoredTensor>& tensors, std::int64_t data_bytes, const std::string& file) {
  std::int64_t end = 0;
  for (const StoredTensor& tensor : tensors) {
    if (tensor.begin < end) {
      reject(file, tensor, fmt::format("begins at byte {}, but the one before it ends at {}", tensor.begin, end));
    }
    if (tensor.begin > end) {
      reject(file, tensor,
             fmt::format("begins at byte {}, but the {} bytes before it belong to no tensor", tensor.begin,
                         tensor.begin - end));
    }
    end = tensor.end;
    if (end > data_bytes) {
      reject(file, tensor,
             fmt::format("ends at byte {}, but the file has {} bytes of tensors: it was truncated, or its header "
                         "belongs to another file",
                         end, data_bytes));
    }
  }
  if (end < data_bytes) {
    throw InputError(fmt::format("{}: its last {} bytes belong to no tensor", file, data_bytes - end));
  }
}

}  // namespace

std::int64_t elements(const StoredTensor& tensor) {
  return graph::elements(tensor.shape);
}

std::int64_t bytes_of_stored_type(std::string_view dtype) {
  for (const StoredType& type : stored_types) {
    if (type.name == dtype) return type.bytes;
  }
  return 0;
}

std::string stored_type(graph::DType dtype) {
  switch (dtype) {
    case graph::DType::f32:
      return "F32";
    case graph::DType::bf16:
      return "BF16";
    case graph::DType::f16:
      return "F16";
    case graph::DType::i32:
      return "I32";
    case graph::DType::i64:
      return "I64";
    case graph::DType::u8:
      return "U8";
  }
  throw ContractError("safetensors has no name for this type");
}

SafetensorsHeader parse_header(std::string_view json, std::int64_t data_bytes, const std::string& file) {
  SafetensorsHeader header = read_header(json, file);
  for (const StoredTensor& tensor : header.tensors) check_tensor(tensor, file);
  std::stable_sort(header.tensors.begin(), header.tensors.end(), [](const StoredTensor& a, const StoredTensor& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  check_places(header.tensors, data_bytes, file);
  return header;
}

std::string write_header(SafetensorsHeader& header) {
  nlohmann::ordered_json text = nlohmann::ordered_json::object();
  if (!header.metadata.empty()) text["__metadata__"] = header.metadata;
  std::int64_t end = 0;
  for (StoredTensor& tensor : header.tensors) {
    tensor.begin = end;
    end += wanted_bytes(tensor);
    tensor.end = end;
    text[tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {tensor.begin, tensor.end}}};
  }
  std::string json = text.dump();
  json.append((8 - json.size() % 8) % 8, ' ');
  return json;
}

}  // namespace ddlbench::runtime
