#include "bench/run/tame_openmp.h"

#include <cstdlib>

namespace ddlbench::bench {

bool tame_openmp() {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return false;
  return ::setenv("GOMP_SPINCOUNT", "1000", 0) == 0;
}

}  // namespace ddlbench::bench
