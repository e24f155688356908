#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

namespace ddlbench::comm::mpi {

/// Text of limited length, as it travels.
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

/// What processes tell each other beside their messages: one struct for all, sent by its bytes.
struct Note {
  enum class Type : std::int32_t {
    arrived,  ///< at the beginning of a launch
    ended,    ///< a launch's body: no message more comes from there
    closed,   ///< all have ended, and whether the launch failed is told
    leaving,  ///< the process ends
    ping,     ///< asks: are you there, and how many collectives of `group` have you started?
    pong,     ///< answers the ping of this `number`
    failed,   ///< the launch's first failure, as the sender knows it
    too_long  ///< a message of the receiver of this note has more than the `bytes` that are expected
  };
  Type type{};
  std::int32_t kind = 0;  ///< of `failed`
  std::int32_t rank = 0;  ///< of `failed`: to blame
  std::int32_t tag = 0;   ///< of `too_long`
  std::uint64_t launch = 0;
  std::uint64_t number = 0;  ///< of ping and pong
  std::uint64_t group = 0;
  std::uint64_t started = 0;  ///< of pong
  std::int64_t bytes = 0;     ///< of `too_long`
  ShortText<128> operation;
  ShortText<840> what;
};

}  // namespace ddlbench::comm::mpi
