#pragma once

#include <chrono>
#include <thread>

#include "comm/communicator.h"

/// Polling for a state that other ranks or a GPU change without a notification. The waiting thread yields at first, for
/// low latency, and then sleeps between polls, to leave the core to others.
namespace ddlbench::comm {

inline constexpr std::chrono::milliseconds yielding_time{2};
inline constexpr std::chrono::microseconds polling_interval{50};

inline void pause_polling(Clock::time_point waiting_since) {
  if (Clock::now() - waiting_since < yielding_time) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(polling_interval);
  }
}

}  // namespace ddlbench::comm
