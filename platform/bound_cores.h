#pragma once

#include <sched.h>

#include <cstdint>
#include <vector>

namespace ddlbench::platform {

/// The cores on which the calling thread may run, ascending.
std::vector<int> allowed_cores();

/// Binds the `count` OpenMP threads of the calling thread to one core each, from position `first` of `allowed`,
/// counted round and round: itself, and the threads that it makes from now on, to the first. Until it ends; then
/// the thread may run where it could before. Or all of them together, where others compute.
class BoundCores {
 public:
  enum class Threads : std::uint8_t {
    apart,     ///< one core each
    together,  ///< all of them, and what other threads it makes, anywhere on those cores
  };
  BoundCores(const std::vector<int>& allowed, int first, int count, Threads threads = Threads::apart);
  ~BoundCores();
  BoundCores(const BoundCores&) = delete;
  BoundCores& operator=(const BoundCores&) = delete;

 private:
  cpu_set_t before_;
  std::vector<int> team_before_;
};

/// The core of each OpenMP thread that a BoundCores of the calling thread bound apart; empty where there is none.
const std::vector<int>& team_cores();

/// Lets the calling thread run on this core alone, as a helper of the thread whose core it is.
void move_to(int core);

}  // namespace ddlbench::platform
