#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string_view>

#include "comm/communicator.h"

namespace ddlbench::comm {

enum class Kind : std::uint8_t { all_reduce, reduce_scatter, all_gather, all_to_all, broadcast, send, barrier };
inline constexpr int kinds = 7;

std::string_view name(Kind kind);

/// Bytes sent by one rank, by kind. Any thread that makes progress may write them.
class SentCounters {
 public:
  void add(Kind kind, std::int64_t bytes) {
    bytes_[static_cast<std::size_t>(kind)].fetch_add(bytes, std::memory_order_relaxed);
  }
  /// Returns the counts. Kinds that sent no bytes are absent.
  SentBytes snapshot() const;

 private:
  std::array<std::atomic<std::int64_t>, kinds> bytes_{};
};

}  // namespace ddlbench::comm
