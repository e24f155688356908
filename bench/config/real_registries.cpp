#include "bench/config/registries.h"

namespace ddlbench::bench {

Registries real_registries() {
  return {strategies::strategy_kinds(), workloads::model_kinds(), workloads::dataset_kinds(), kernels::device_kinds(),
          comm::transports()};
}

}  // namespace ddlbench::bench
