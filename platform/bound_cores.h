#pragma once

#include <sched.h>

#include <cstdint>
#include <vector>

namespace ddlbench::platform {

/// Returns the cores on which the calling thread may run, in ascending order.
std::vector<int> allowed_cores();

/// Returns whether the user has disabled the binding of ranks with OpenMP's variable OMP_PROC_BIND=false, in lower or
/// upper case.
bool binding_is_disabled();

/// A binding of the calling thread and its OpenMP threads to `count` cores, from position `first` of `allowed`, modulo
/// its size. By default, OpenMP thread i is bound to the i-th of these cores; the calling thread is number 0, and
/// threads that it creates later inherit its core. With Threads::together, the calling thread and the threads that it
/// creates may run on all of these cores, which suits ranks whose device is a GPU. The destructor restores the affinity
/// of the calling thread, on which it must run, and of its OpenMP threads: the cores of the binding that this one
/// replaced, or else the affinity of the calling thread.
class BoundCores {
 public:
  enum class Threads : std::uint8_t {
    apart,     ///< one core per OpenMP thread
    together,  ///< all threads anywhere on those cores
  };
  BoundCores(const std::vector<int>& allowed, int first, int count, Threads threads = Threads::apart);
  ~BoundCores();
  BoundCores(const BoundCores&) = delete;
  BoundCores& operator=(const BoundCores&) = delete;

 private:
  cpu_set_t before_;
  std::vector<int> team_before_;
};

/// Returns the core of each OpenMP thread that a BoundCores of the calling thread bound with Threads::apart; empty if
/// there is none.
const std::vector<int>& team_cores();

/// Binds the calling thread to this core, as a helper of the thread that computes there.
void bind_to_core(int core);

}  // namespace ddlbench::platform
