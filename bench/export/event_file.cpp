#include "bench/export/event_file.h"

#include <isa-l.h>

#include <bit>

namespace ddlbench::bench {
namespace {

/// How a field of a protocol buffer is encoded (https://protobuf.dev/programming-guides/encoding/).
enum WireType : std::uint8_t { varint = 0, fixed64 = 1, length_delimited = 2, fixed32 = 5 };

template <class Number>
std::string little_endian(Number value) {
  std::string bytes;
  for (std::size_t i = 0; i < sizeof value; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xff);
  return bytes;
}

std::string as_varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}

std::string field(std::uint32_t number, WireType type, const std::string& content) {
  const std::string length = type == length_delimited ? as_varint(content.size()) : "";
  return as_varint(number << 3 | type) + length + content;
}

/// Returns an Event; `what` is its version or its summary.
std::string event(double wall_seconds, std::int64_t step, const std::string& what) {
  return field(1, fixed64, little_endian(std::bit_cast<std::uint64_t>(wall_seconds))) +
         field(2, varint, as_varint(static_cast<std::uint64_t>(step))) + what;
}

std::string summary(const ScalarEvent& scalars) {
  std::string values;
  for (const auto& [tag, value] : scalars.values) {
    values +=
        field(1, length_delimited,
              field(1, length_delimited, tag) + field(2, fixed32, little_endian(std::bit_cast<std::uint32_t>(value))));
  }
  return field(5, length_delimited, values);
}

std::string record(const std::string& data) {
  const std::string length = little_endian(static_cast<std::uint64_t>(data.size()));
  return length + little_endian(masked_crc32c(length)) + data + little_endian(masked_crc32c(data));
}

}  // namespace

std::uint32_t crc32c(std::string_view bytes) {
  // ISA-L takes a pointer to data that it only reads, and neither inverts the start nor the result.
  auto* data = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
  return ~crc32_iscsi(data, static_cast<int>(bytes.size()), 0xffffffff);
}

std::uint32_t masked_crc32c(std::string_view bytes) {
  return std::rotr(crc32c(bytes), 15) + 0xa282ead8;
}

std::string event_file(double begin_seconds, const std::vector<ScalarEvent>& events) {
  std::string text = record(event(begin_seconds, 0, field(3, length_delimited, "brain.Event:2")));
  for (const ScalarEvent& one : events) text += record(event(one.wall_seconds, one.step, summary(one)));
  return text;
}

}  // namespace ddlbench::bench
