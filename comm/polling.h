#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include "comm/communicator.h"

/// Polling for a state that other ranks or a GPU change without a notification. The waiting thread yields at first, for
/// low latency, and then sleeps between polls, to leave the core to others.
namespace ddlbench::comm {

inline constexpr std::chrono::milliseconds yielding_time{2};
inline constexpr std::chrono::microseconds polling_interval{50};

/// Does not sleep beyond `latest`.
inline void pause_polling(Clock::time_point waiting_since, Clock::time_point latest = Clock::time_point::max()) {
  const Clock::time_point now = Clock::now();
  if (now - waiting_since < yielding_time) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_until(std::min(latest, now + polling_interval));
  }
}

}  // namespace ddlbench::comm
