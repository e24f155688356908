#include "bench/run/bound_cores.h"

#include <cerrno>
#include <system_error>

#include "graph/error.h"

namespace ddlbench::bench {
namespace {

cpu_set_t affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    throw std::system_error(errno, std::generic_category(), "reading the cores of this thread");
  }
  return set;
}

}  // namespace

std::vector<int> allowed_cores() {
  const cpu_set_t set = affinity();
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

BoundCores::BoundCores(const std::vector<int>& allowed, int first, int count) : before_(affinity()) {
  require(!allowed.empty() && first >= 0 && count > 0, "a thread is bound to at least one core");
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int i = first; i < first + count; ++i) CPU_SET(allowed[static_cast<std::size_t>(i) % allowed.size()], &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    throw std::system_error(errno, std::generic_category(), "binding a rank to its cores");
  }
}

BoundCores::~BoundCores() {
  sched_setaffinity(0, sizeof before_, &before_);
}

}  // namespace ddlbench::bench
