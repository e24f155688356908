#include "platform/processor_time.h"

#include <sys/resource.h>

namespace ddlbench::platform {
namespace {

double seconds_of(int who) {
  rusage used{};
  ::getrusage(who, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace

double processor_seconds() {
  return seconds_of(RUSAGE_SELF);
}

double processor_seconds_of_ended() {
  return seconds_of(RUSAGE_CHILDREN);
}

}  // namespace ddlbench::platform
