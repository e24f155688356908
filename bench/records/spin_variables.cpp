#include "bench/records/spin_variables.h"

#include <cstdlib>

namespace ddlbench::bench {

std::map<std::string, std::string> spin_variables(bool crowded) {
  if (std::getenv("OMP_WAIT_POLICY") != nullptr || std::getenv("GOMP_SPINCOUNT") != nullptr) return {};
  return {{"GOMP_SPINCOUNT", crowded ? "1000" : "10000"}};
}

}  // namespace ddlbench::bench
