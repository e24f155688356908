#include "bench/case/certificate_memory.h"

#include <algorithm>

#include "base/hash.h"
#include "bench/case/device_options.h"
#include "bench/case/feed.h"
#include "bench/case/gather.h"
#include "platform/host_name.h"
#include "program/account.h"

namespace ddlbench::bench {

ModelBytes bytes_of(const graph::Graph& model) {
  ModelBytes bytes;
  const auto add = [&](graph::Role role, std::int64_t& sum) {
    for (const graph::TensorId id : model.with_role(role)) {
      const graph::Shape& shape = model.tensors[static_cast<std::size_t>(id)].type.shape;
      const std::int64_t own = graph::elements(shape) * static_cast<std::int64_t>(sizeof(float));
      sum += own;
      bytes.largest = std::max(bytes.largest, own);
    }
  };
  add(graph::Role::parameter, bytes.parameters);
  add(graph::Role::statistic, bytes.statistics);
  return bytes;
}

std::int64_t host_bytes_of_rank(const Setup& setup, const program::Plan& plan, int rank) {
  workloads::LoaderOptions loader = loader_options(setup);
  loader.workers = std::min(loader.workers, 1);  // more need no more memory, and would be started only to be ended
  const Feed training(setup.training, plan, rank, runtime::Mode::train, loader);
  const bool is_accelerator = setup.experiment.devices.derived.is_accelerator;
  return training.loader_bytes() + (is_accelerator ? 0 : program::account(plan, rank).peak_bytes);
}

bool has_certificate(const Setup& setup, const program::Plan& plan, comm::Communicator& communicator,
                     Reference& reference, const platform::MemoryProbe& memory) {
  struct Rank {
    std::uint64_t host;
    std::int64_t bytes;
  };
  const Rank own{fnv1a(platform::host_name()), host_bytes_of_rank(setup, plan, communicator.rank())};
  const auto ranks = all_gather(communicator, std::vector<Rank>{own});
  const bool leads = communicator.rank() == 0;
  if (leads && reference.missing.empty()) {
    std::int64_t machine = 0;
    for (const std::vector<Rank>& rank : ranks) machine += rank.at(0).host == own.host ? rank.at(0).bytes : 0;
    const bool processes = setup.experiment.devices.ranks_are_processes();
    const ModelBytes model = bytes_of(setup.model);
    const std::int64_t beside = model.trace() + model.largest + library_overhead_bytes;
    reference.missing =
        platform::why_not_enough((processes ? own.bytes : machine) + beside, machine + beside, memory());
    if (!reference.missing.empty()) reference.trace = {};
  }
  const int there = leads && reference.missing.empty() ? 1 : 0;
  return all_gather(communicator, std::vector<int>{there}).at(0).at(0) != 0;
}

}  // namespace ddlbench::bench
