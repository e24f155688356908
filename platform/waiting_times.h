#pragma once

#include <map>
#include <string>

namespace ddlbench::platform {

/// For each thread of this process, the seconds since its start in which it was runnable but had no processor, because
/// others used it. Empty if the system does not report it (/proc/PID/task/TID/schedstat). Does not include what slows a
/// running thread: contention for memory or for the core, or a hypervisor.
using WaitingTimes = std::map<std::string, double>;

WaitingTimes waiting_times();

/// Returns the longest wait of a single thread between `before` and `after`.
double longest_wait(const WaitingTimes& before, const WaitingTimes& after);

}  // namespace ddlbench::platform
