#include "bench/case/device_options.h"

#include <fmt/core.h>
#include <algorithm>

#include "base/error.h"
#include "base/names.h"
#include "comm/process_place.h"
#include "platform/host_name.h"

namespace ddlbench::bench {

kernels::DeviceOptions device_options(const Experiment& experiment, int rank, int threads) {
  kernels::DeviceOptions options;
  options.threads = threads;
  options.deterministic = experiment.devices.deterministic;
  options.winograd = experiment.devices.winograd;
  if (!experiment.devices.derived.is_accelerator) return options;
  const std::string& kind = experiment.devices.kind;
  const kernels::DeviceCount count = find_named(kernels::device_kinds(), kind, "device").count();
  if (count.devices == 0) {
    throw InputError(
        fmt::format("rank {} sees no device of kind {} on {}: {}", rank, kind, platform::host_name(), count.why_none));
  }
  const int place = experiment.devices.ranks_are_processes() ? comm::local_rank().value_or(rank) : rank;
  options.ordinal = place % count.devices;
  options.tf32 = experiment.training.precision == "tf32";
  return options;
}

int cores_per_rank(const Setup& setup, int ranks, int threads) {
  if (!setup.experiment.devices.derived.is_accelerator) return threads;
  return std::max(threads, static_cast<int>(setup.cores.size()) / ranks);
}

platform::BoundCores bind_rank(const Setup& setup, int rank, int ranks, int threads) {
  using Threads = platform::BoundCores::Threads;
  if (platform::binding_is_disabled()) return {setup.cores, 0, static_cast<int>(setup.cores.size()), Threads::together};
  const int share = cores_per_rank(setup, ranks, threads);
  const bool together = setup.experiment.devices.derived.is_accelerator;
  return {setup.cores, rank * share, share, together ? Threads::together : Threads::apart};
}

workloads::LoaderOptions loader_options(const Setup& setup) {
  const LoaderSettings& settings = setup.experiment.workload.loader;
  const int cores = cores_per_rank(setup, setup.which.ranks, setup.which.threads_per_rank);
  return {settings.workers.value_or(cores), settings.prefetch};
}

std::unique_ptr<kernels::Device> make_device(const Setup& setup, int rank, int threads) {
  const Experiment& experiment = setup.experiment;
  return kernels::make_device(experiment.devices.kind, device_options(experiment, rank, threads));
}

}  // namespace ddlbench::bench
