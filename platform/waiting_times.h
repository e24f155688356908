#pragma once

#include <map>
#include <string>

namespace ddlbench::platform {

/// By thread of this process, the seconds that it was ready to run and had no processor since it began: others had it.
/// Empty where the system does not tell (/proc/PID/task/TID/schedstat). What slows a thread that has a processor is not
/// in it: others on the same memory or core, or a hypervisor.
using WaitingTimes = std::map<std::string, double>;

WaitingTimes waiting_times();

/// Of one thread, from `before` to `after`.
double longest_wait(const WaitingTimes& before, const WaitingTimes& after);

}  // namespace ddlbench::platform
