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

// The format safetensors: 8 bytes of little-endian header length, the header as JSON, the tensors' bytes without gaps.

/// A file that was found whole: its header is checked before anything is made from what it says.
class SafetensorsReader {
 public:
  /// Throws InputError naming the file, the tensor and what is wrong.
  explicit SafetensorsReader(const std::string& path);

  const std::string& path() const { return file_.path(); }
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }
  const std::vector<StoredTensor>& tensors() const { return header_.tensors; }
  const StoredTensor* find(const std::string& name) const;

  /// Whether values of it can be read: F32, BF16, F16.
  static bool has_values(const StoredTensor& tensor);
  /// `count` elements from `first` on, as f32. Throws InputError; ContractError where it has not so many.
  void read(const StoredTensor& tensor, std::int64_t first, std::int64_t count, float* values) const;

  /// Reads the whole file once, some 1 GB/s where the disk can. The digest of all its bytes. Throws InputError naming
  /// both digests unless its tensors' bytes have the one that its metadata tell (SafetensorsWriter::digest_key); a file
  /// of another program tells none.
  std::string require_undamaged() const;

 private:
  InputFile file_;
  SafetensorsHeader header_;
  std::int64_t data_ = 0;  ///< where the tensors' bytes begin
  std::map<std::string, std::size_t> index_;
};

/// Writes a file tensor by tensor, and puts it in its place when all are there (see NewFile).
class SafetensorsWriter {
 public:
  /// The digest of the tensors' bytes is written into the header where metadata has this key, whatever it has there.
  static constexpr const char* digest_key = "data_digest";

  /// Tensors in the order in which their values will come; of F32, BF16, F16 or I64. Throws InputError naming the path
  /// and the system's reason, as all that writes.
  SafetensorsWriter(const std::string& path, SafetensorsHeader header, Outlives outlives = Outlives::power);

  /// The next values, of one tensor or a part of it; rounded to nearest even where the type is of 16 bits.
  void write(const float* values, std::int64_t count);
  void write(const std::int64_t* values, std::int64_t count);
  /// Notes the digest, and returns when all is on the disk. Throws ContractError where values are lacking.
  void finish();
  const std::string& digest() const { return text_of_digest_; }  ///< once it is finished
  void commit();                                                 ///< once it is finished

 private:
  void put(const char* dtype, const void* bytes, std::int64_t count, std::int64_t element_bytes);

  NewFile file_;
  SafetensorsHeader header_;
  std::size_t next_ = 0;              ///< the tensor that comes
  std::int64_t written_ = 0;          ///< bytes of tensors so far
  std::int64_t digest_at_ = -1;       ///< byte of the file; −1: none is noted
  std::uint64_t digest_ = fnv1a({});  ///< of the tensors' bytes
  std::string text_of_digest_;
};

}  // namespace ddlbench::runtime
