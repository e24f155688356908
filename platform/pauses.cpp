#include "platform/pauses.h"

#include <signal.h>
#include <time.h>

#include <atomic>

namespace ddlbench::platform {
namespace {

std::atomic<bool> counts{false};
std::atomic<std::int64_t> noticed{0};

sigset_t continue_signal() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGCONT);
  return set;
}

}  // namespace

void count_pauses() {
  const sigset_t set = continue_signal();
  counts = ::pthread_sigmask(SIG_BLOCK, &set, nullptr) == 0;
}

std::int64_t pauses() {
  if (!counts) return 0;
  static const sigset_t set = continue_signal();
  constexpr timespec now{};
  if (::sigtimedwait(&set, nullptr, &now) == SIGCONT) ++noticed;
  return noticed;
}

}  // namespace ddlbench::platform
