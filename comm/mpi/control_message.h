#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace ddlbench::comm::mpi {

/// A text of limited length that can be sent as bytes.
template <std::size_t capacity>
struct ShortText {
  std::array<char, capacity> characters{};

  void assign(const std::string& text) {
    const std::size_t length = std::min(text.size(), capacity - 1);
    std::copy_n(text.begin(), length, characters.begin());
    characters[length] = '\0';
  }
  std::string text() const { return characters.data(); }
};

/// A control message: what processes send each other apart from data. There is one struct for all types, sent as bytes.
struct ControlMessage {
  enum class Type : std::int32_t {
    arrived,  ///< the sender has entered a launch
    ended,    ///< the body of a launch has ended: the sender sends no more data
    closed,   ///< all bodies have ended, and whether the launch failed is known
    leaving,  ///< the process exits
    ping,     ///< asks for an answer, and how many collectives of `group` the receiver has started
    pong,     ///< answers the ping with this `number`
    failed,   ///< the first failure of the launch, as the sender knows it
    too_long  ///< data from this message's receiver is longer than the `bytes` expected
  };
  Type type{};
  std::int32_t kind = 0;  ///< for `failed`
  std::int32_t rank = 0;  ///< for `failed`: the rank that caused it
  std::int32_t tag = 0;   ///< for `too_long`
  std::uint64_t launch = 0;
  std::uint64_t number = 0;  ///< for ping and pong
  std::uint64_t group = 0;
  std::uint64_t started = 0;  ///< for pong
  std::int64_t bytes = 0;     ///< for `too_long`
  ShortText<128> operation;
  ShortText<840> what;
};

}  // namespace ddlbench::comm::mpi
