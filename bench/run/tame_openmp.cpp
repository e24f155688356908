#include "bench/run/tame_openmp.h"

#include <cstdlib>

namespace ddlbench::bench {

std::map<std::string, std::string> tame_openmp(bool crowded) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return {};
  return {{"GOMP_SPINCOUNT", crowded ? "1000" : "10000"}};
}

}  // namespace ddlbench::bench
