#pragma once

#include <sched.h>

#include <vector>

namespace ddlbench::bench {

/// The cores on which the calling thread may run, ascending.
std::vector<int> allowed_cores();

/// Binds the calling thread, and the threads that it makes from now on, to cores [first, first + count) of
/// `allowed`, counted round and round. Until it ends; then the thread may run where it could before.
class BoundCores {
 public:
  BoundCores(const std::vector<int>& allowed, int first, int count);
  ~BoundCores();
  BoundCores(const BoundCores&) = delete;
  BoundCores& operator=(const BoundCores&) = delete;

 private:
  cpu_set_t before_;
};

}  // namespace ddlbench::bench
