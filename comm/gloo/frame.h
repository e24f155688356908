#pragma once

#include <cstdint>

namespace ddlbench::comm::gloo {

/// What begins each transmission from one process to another: a message between ranks, or a control message.
struct Frame {
  enum class Type : std::int32_t {
    data,     ///< a message of a launch; its bytes follow: at once if they are few (inline_bytes), else in pieces
    arrived,  ///< the sender has entered a launch
    ended,    ///< the body of a launch has ended on the sender, which sends no more data
    leaving,  ///< the process exits: nothing follows
    ping,     ///< asks for an answer, and how many collectives of `group` the receiver has started
    pong,     ///< answers the ping with this `sequence`
    failed,   ///< the first failure of the launch as the sender knows it; operation and description follow
  };
  Type type{};
  std::int32_t kind = 0;             ///< for `failed`
  std::int32_t rank = 0;             ///< for `failed`: the rank that caused it
  std::int32_t operation_bytes = 0;  ///< for `failed`: of what follows
  std::uint64_t launch = 0;
  std::uint64_t group = 0;
  std::uint64_t sequence = 0;
  std::uint64_t started = 0;  ///< for `pong`
  std::int64_t bytes = 0;     ///< of what follows
};

/// The most bytes that follow a frame at once, in one transmission.
inline constexpr std::int64_t inline_bytes = 8192;

/// Longer messages follow in pieces of this size: whole elements of any type, small enough that the receiver can reduce
/// one from its cache while the next one arrives.
inline constexpr std::int64_t piece_bytes = 512 * 1024;

}  // namespace ddlbench::comm::gloo
