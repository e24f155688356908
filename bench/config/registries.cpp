#include "bench/config/registries.h"

#include "base/names.h"
#include "comm/mpi/library.h"
#include "comm/nccl/nccl.h"

namespace ddlbench::bench {

const strategies::StrategyKind& Registries::strategy(const std::string& name) const {
  return find_named(strategies, name, "strategy");
}

const TransportChoice& Registries::transport_choice(const std::string& name) const {
  return find_named(transport_choices, name, "transport");
}

std::vector<TransportChoice> transport_choices() {
  std::vector<TransportChoice> all;
  for (const comm::Transport& transport : comm::transports()) {
    all.push_back({transport.name, transport.help, transport.name});
  }
  const bool has_mpi = !comm::mpi::library_version().empty();
  all.push_back({"nccl", "messages go from GPU to GPU by NCCL; each rank needs its own GPU",
                 has_mpi ? "mpi" : "threads", "nccl", [] {
                   const comm::NcclState state = comm::nccl_state();
                   return state.usable ? std::string() : state.why_not;
                 }});
  return all;
}

Registries real_registries() {
  return {strategies::strategy_kinds(), workloads::model_kinds(), workloads::dataset_kinds(), kernels::device_kinds(),
          transport_choices()};
}

}  // namespace ddlbench::bench
