#include "event_reader.h"

#include <bit>
#include <stdexcept>

namespace ddlbench::test {
namespace {

/// CRC-32C bit by bit, to compare with the library that the writer uses.
std::uint32_t slow_crc32c(std::string_view bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char byte : bytes) {
    crc ^= static_cast<unsigned char>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
  }
  return ~crc;
}

class MessageBytes {
 public:
  explicit MessageBytes(std::string_view bytes) : left_(bytes) {}
  bool empty() const { return left_.empty(); }
  std::string_view take(std::uint64_t count) {
    if (count > left_.size()) throw std::runtime_error("cut off");
    const std::string_view taken = left_.substr(0, count);
    left_.remove_prefix(count);
    return taken;
  }
  template <class Number>
  Number fixed() {
    Number value = 0;
    const std::string_view bytes = take(sizeof value);
    for (std::size_t i = sizeof value; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
  }
  MessageBytes message() { return MessageBytes(text()); }
  std::string_view text() { return take(varint()); }

 private:
  std::string_view left_;
};

std::string_view checked_data(MessageBytes& file, std::uint64_t size) {
  const std::string_view data = file.take(size);
  const std::uint32_t crc = slow_crc32c(data);
  if (file.fixed<std::uint32_t>() != (crc >> 15 | crc << 17) + 0xa282ead8) throw std::runtime_error("checksum");
  return data;
}

[[noreturn]] void unknown_field(std::uint64_t key) {
  throw std::runtime_error("unknown field and type " + std::to_string(key));
}

void read_value(MessageBytes value, ReadEvent& event) {
  std::string tag;
  while (!value.empty()) {
    const std::uint64_t key = value.varint();
    if (key == (1 << 3 | 2)) {
      tag = value.text();
    } else if (key == (2 << 3 | 5)) {
      event.scalars[tag] = std::bit_cast<float>(value.fixed<std::uint32_t>());
    } else {
      unknown_field(key);
    }
  }
}

ReadEvent read_event(MessageBytes data) {
  ReadEvent event;
  while (!data.empty()) {
    const std::uint64_t key = data.varint();
    if (key == (1 << 3 | 1)) {
      event.wall_seconds = std::bit_cast<double>(data.fixed<std::uint64_t>());
    } else if (key == (2 << 3 | 0)) {
      event.step = static_cast<std::int64_t>(data.varint());
    } else if (key == (3 << 3 | 2)) {
      event.version = data.text();
    } else if (key == (5 << 3 | 2)) {
      for (MessageBytes summary = data.message(); !summary.empty();) {
        if (const std::uint64_t inner = summary.varint(); inner != (1 << 3 | 2)) unknown_field(inner);
        read_value(summary.message(), event);
      }
    } else {
      unknown_field(key);
    }
  }
  return event;
}

}  // namespace

std::vector<ReadEvent> read_events(std::string_view text) {
  std::vector<ReadEvent> events;
  for (MessageBytes file(text); !file.empty();) {
    MessageBytes length(checked_data(file, 8));
    events.push_back(read_event(MessageBytes(checked_data(file, length.fixed<std::uint64_t>()))));
  }
  return events;
}

}  // namespace ddlbench::test
