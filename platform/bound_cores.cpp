#include "platform/bound_cores.h"

#include <strings.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "base/error.h"

namespace ddlbench::platform {
namespace {

cpu_set_t affinity() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) {
    throw std::system_error(errno, std::generic_category(), "reading the cores of this thread");
  }
  return set;
}

/// Returns the cores at positions [first, first + count) of `allowed`, modulo its size.
cpu_set_t cores_of(const std::vector<int>& allowed, int first, int count) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (int i = first; i < first + count; ++i) CPU_SET(allowed[static_cast<std::size_t>(i) % allowed.size()], &set);
  return set;
}

void bind(const cpu_set_t& set) {
  if (sched_setaffinity(0, sizeof set, &set) != 0) {
    throw std::system_error(errno, std::generic_category(), "binding a rank to its cores");
  }
}

/// Binds each other OpenMP thread of this rank to one core. Threads must not migrate: two that share a core by chance
/// may do so for a whole case, and the step then takes several times as long.
void bind_team([[maybe_unused]] const std::vector<int>& allowed, [[maybe_unused]] int first,
               [[maybe_unused]] int count) {
#if defined(_OPENMP)
#pragma omp parallel num_threads(count)
  if (const int thread = omp_get_thread_num(); thread > 0) {
    const cpu_set_t one = cores_of(allowed, first + thread, 1);
    sched_setaffinity(0, sizeof one, &one);
  }
#endif
}

/// Binds each other OpenMP thread of this rank to its core in `cores`, and the threads beyond those, up to `count`, to
/// `others`.
void restore_team([[maybe_unused]] const std::vector<int>& cores, [[maybe_unused]] const cpu_set_t& others,
                  [[maybe_unused]] int count) {
#if defined(_OPENMP)
  if (count <= 1) return;
#pragma omp parallel num_threads(count)
  if (const int thread = omp_get_thread_num(); thread > 0) {
    const bool has_core = static_cast<std::size_t>(thread) < cores.size();
    const cpu_set_t set = has_core ? cores_of(cores, thread, 1) : others;
    sched_setaffinity(0, sizeof set, &set);
  }
#endif
}

thread_local std::vector<int> team;

}  // namespace

std::vector<int> allowed_cores() {
  const cpu_set_t set = affinity();
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  }
  return cores;
}

bool binding_is_disabled() {
  const char* value = std::getenv("OMP_PROC_BIND");
  return value != nullptr && strcasecmp(value, "false") == 0;
}

BoundCores::BoundCores(const std::vector<int>& allowed, int first, int count, Threads threads)
    : before_(affinity()), team_before_(team) {
  require(!allowed.empty() && first >= 0 && count > 0, "a thread must be bound to at least one core");
  bind(cores_of(allowed, first, threads == Threads::together ? count : 1));
  team.clear();
  if (threads == Threads::together) return;
  for (int i = first; i < first + count; ++i) team.push_back(allowed[static_cast<std::size_t>(i) % allowed.size()]);
  if (count > 1) bind_team(allowed, first, count);
}

BoundCores::~BoundCores() {
  sched_setaffinity(0, sizeof before_, &before_);
  restore_team(team_before_, before_, static_cast<int>(std::max(team.size(), team_before_.size())));
  team = std::move(team_before_);
}

const std::vector<int>& team_cores() {
  return team;
}

void bind_to_core(int core) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  sched_setaffinity(0, sizeof one, &one);
}

}  // namespace ddlbench::platform
