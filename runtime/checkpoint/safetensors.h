#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/hash.h"
#include "runtime/checkpoint/file.h"
#include "runtime/checkpoint/safetensors_header.h"

namespace ddlbench::runtime {

// The safetensors format: 8 bytes of little-endian header length, the header as JSON, and the tensors' bytes without
// gaps.

/// A reader of a complete file. The header is validated before any of its values is used.
class SafetensorsReader {
 public:
  /// Throws InputError naming the file, the tensor and the defect.
  explicit SafetensorsReader(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  const std::vector<StoredTensor>& tensors() const { return header_.tensors; }
  const StoredTensor* find(const std::string& name) const;

  /// Returns true if the tensor's values can be read: F32, BF16, F16.
  static bool has_values(const StoredTensor& tensor);
  /// Reads `count` elements from element `first` on, converted to f32. Throws InputError, and ContractError if the
  /// tensor has fewer elements.
  void read(const StoredTensor& tensor, std::int64_t first, std::int64_t count, float* values) const;

  /// Reads the whole file once, at about 1 GB/s if the disk allows, and returns the digest of all its bytes. If the
  /// metadata contain a digest of the tensors' bytes (SafetensorsWriter::digest_key) and the actual one differs, throws
  /// InputError with both digests. Files of other programs contain none.
  std::string require_undamaged() const;

 private:
  InputFile file_;
  SafetensorsHeader header_;
  std::int64_t data_ = 0;  ///< offset of the tensors' bytes
  std::map<std::string, std::size_t> index_;
};

/// Writes a file tensor by tensor, and puts it in place when it is complete (see NewFile).
class SafetensorsWriter {
 public:
  /// If the metadata contain this key, its value is replaced by the digest of the tensors' bytes.
  static constexpr const char* digest_key = "data_digest";

  /// `header` lists the tensors in the order in which their values will be written; types are F32, BF16, F16 or I64.
  /// Throws InputError with the path and the system's error text, as do all functions that write.
  SafetensorsWriter(const std::string& path, SafetensorsHeader header, Durability durability = Durability::power);

  /// Appends values of one tensor or part of it; rounds to nearest even for 16-bit types.
  void write(const float* values, std::int64_t count);
  void write(const std::int64_t* values, std::int64_t count);
  /// Writes the digest, and returns when all data are on disk. Throws ContractError if values are missing.
  void finish();
  const std::string& digest() const { return text_of_digest_; }  ///< after finish()
  void commit();                                                 ///< after finish()

 private:
  void put(const char* dtype, const void* bytes, std::int64_t count, std::int64_t element_bytes);

  AtomicFile file_;
  SafetensorsHeader header_;
  std::size_t next_ = 0;              ///< index of the next tensor
  std::int64_t written_ = 0;          ///< bytes of tensors so far
  std::int64_t digest_at_ = -1;       ///< offset in the file; −1: no digest is written
  std::uint64_t digest_ = fnv1a({});  ///< of the tensors' bytes
  std::string text_of_digest_;
};

}  // namespace ddlbench::runtime
