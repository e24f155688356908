#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ddlbench::bench {

/// Values at one step of a training, each with its tag: "train/loss".
struct ScalarEvent {
  double wall_seconds = 0;  ///< since 1970 (UTC)
  std::int64_t step = 0;
  std::vector<std::pair<std::string, float>> values;
};

/// Returns the content of an event file of TensorBoard: a sequence of TFRecords (length, its checksum, data, their
/// checksum, all little-endian), each with a protocol buffer `Event`: first the version of the format with the time
/// `begin_seconds`, then the scalars. Formats: https://www.tensorflow.org/tutorials/load_data/tfrecord and
/// tensorflow/core/util/event.proto, framework/summary.proto.
std::string event_file(double begin_seconds, const std::vector<ScalarEvent>& events);

/// Returns the CRC-32C (Castagnoli) of the bytes, as RFC 3720 defines it.
std::uint32_t crc32c(std::string_view bytes);

/// Returns the checksum of a TFRecord: the CRC-32C, rotated right by 15 bits, + 0xa282ead8.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace ddlbench::bench
