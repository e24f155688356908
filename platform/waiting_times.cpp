#include "platform/waiting_times.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace ddlbench::platform {

WaitingTimes waiting_times() {
  WaitingTimes times;
  std::error_code error;
  std::filesystem::directory_iterator thread("/proc/self/task", error);
  for (; !error && thread != std::filesystem::directory_iterator(); thread.increment(error)) {
    std::ifstream file(thread->path() / "schedstat");
    double running = 0, waiting = 0;  // nanoseconds
    if (file >> running >> waiting) times[thread->path().filename()] = 1e-9 * waiting;
  }
  return times;
}

double longest_wait(const WaitingTimes& before, const WaitingTimes& after) {
  double longest = 0;
  for (const auto& [thread, seconds] : after) {
    const auto known = before.find(thread);
    longest = std::max(longest, seconds - (known == before.end() ? 0 : known->second));
  }
  return longest;
}

}  // namespace ddlbench::platform
