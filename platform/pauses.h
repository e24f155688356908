#pragma once

#include <cstdint>

namespace ddlbench::platform {

/// Lets pauses() count. To be called once, before this process starts threads: it blocks SIGCONT in all of them, so
/// that the signal stays pending; a stopped process continues all the same.
void count_pauses();

/// Returns how often this process has continued after it was stopped (SIGSTOP), as far as there was a call in between;
/// 0 without count_pauses(). Any thread may call it.
std::int64_t pauses();

}  // namespace ddlbench::platform
