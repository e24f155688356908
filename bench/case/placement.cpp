#include "bench/case/placement.h"

#include <fmt/core.h>
#include <algorithm>

#include "base/counted.h"
#include "bench/case/device_options.h"
#include "bench/case/gather.h"
#include "kernels/gpu_info.h"
#include "platform/host_name.h"
#include "strategies/strategy.h"

namespace ddlbench::bench {
namespace {

std::string too_few(int ranks, int seen) {
  return fmt::format(
      "NCCL needs a GPU for each rank: {} ranks are requested, but only {} visible; use transport threads, whose ranks "
      "may share a GPU",
      ranks, counted(seen, "GPU is", "GPUs are"));
}

/// What a rank reports about its device.
struct RankDevice {
  std::string identity;
  std::string name;
  std::int64_t memory_bytes = 0;
};

std::vector<RankDevice> gather_rank_devices(const RankDevice& own, comm::Communicator& communicator) {
  const auto text = [&](const std::string& of) { return all_gather<char>(communicator, {of.begin(), of.end()}); };
  const auto identities = text(own.identity);
  const auto names = text(own.name);
  const auto memory = all_gather<std::int64_t>(communicator, {own.memory_bytes});
  std::vector<RankDevice> all;
  for (std::size_t rank = 0; rank < names.size(); ++rank) {
    all.push_back({{identities[rank].begin(), identities[rank].end()},
                   {names[rank].begin(), names[rank].end()},
                   memory[rank].at(0)});
  }
  return all;
}

void add(std::vector<PlacedDevice>& devices, int rank, const RankDevice& told) {
  auto found = std::find_if(devices.begin(), devices.end(),
                            [&](const PlacedDevice& device) { return device.identity == told.identity; });
  if (found == devices.end()) {
    found = devices.insert(devices.end(), PlacedDevice{told.identity, told.name, {}, told.memory_bytes});
  }
  found->ranks.push_back(rank);
  if (told.memory_bytes > 0) {
    found->memory_bytes =
        found->memory_bytes > 0 ? std::min(found->memory_bytes, told.memory_bytes) : told.memory_bytes;
  }
}

}  // namespace

std::string why_unplaced(const Devices& devices, int ranks) {
  if (devices.throttle.slowdown > 1 && devices.derived.is_accelerator) {
    return "devices/throttle/slowdown slows only computations of processors, but devices/kind is " + devices.kind +
           "; use kind cpu";
  }
  if (devices.derived.channel.empty() || ranks == 1) return "";
  if (!devices.ranks_are_processes() && devices.derived.seen > 0 && ranks > devices.derived.seen)
    return too_few(ranks, devices.derived.seen);
  if (devices.throttle.link.any()) {
    return "devices/throttle slows only messages that ddlbench itself carries, but " + devices.derived.channel +
           " sends them from GPU to GPU; use transport threads, mpi or gloo";
  }
  if (devices.collectives != "auto" && devices.collectives != "native") {
    return fmt::format("{} has only its own collectives, but devices/collectives is {}; use auto or native",
                       devices.derived.channel, devices.collectives);
  }
  return "";
}

std::string device_identity(int ordinal) {
  const std::vector<kernels::GpuInfo>& gpus = kernels::cached_gpus();
  const auto index = static_cast<std::size_t>(ordinal);
  return fmt::format("{} {}", platform::host_name(),
                     index < gpus.size() ? gpus[index].uuid : fmt::format("device {}", ordinal));
}

std::string device_identity(const Setup& setup, int rank) {
  return device_identity(device_options(setup.experiment, rank, setup.which.threads_per_rank).ordinal);
}

std::vector<PlacedDevice> placed_devices(const Devices& devices, const std::string& identity,
                                         const kernels::Device& device, comm::Communicator& communicator) {
  if (!devices.derived.is_accelerator) return {};
  std::vector<PlacedDevice> placed;
  int rank = 0;
  for (const RankDevice& told :
       gather_rank_devices({identity, device.description(), device.memory_bytes()}, communicator)) {
    add(placed, rank++, told);
  }
  if (!devices.derived.channel.empty() && any_shared(placed)) {
    throw strategies::Unsupported(too_few(communicator.size(), static_cast<int>(placed.size())));
  }
  return placed;
}

std::vector<PlacedDevice> placed_devices(const Setup& setup, const kernels::Device& device,
                                         comm::Communicator& communicator) {
  return placed_devices(setup.experiment.devices, device_identity(setup, communicator.rank()), device, communicator);
}

std::string names_of(const std::vector<PlacedDevice>& devices) {
  std::string text;
  std::vector<std::string> names;
  for (const PlacedDevice& device : devices) {
    if (std::find(names.begin(), names.end(), device.name) != names.end()) continue;
    names.push_back(device.name);
    text += (text.empty() ? "" : " | ") + device.name;
  }
  return text;
}

bool any_shared(const std::vector<PlacedDevice>& devices) {
  return std::any_of(devices.begin(), devices.end(), [](const PlacedDevice& d) { return d.ranks.size() > 1; });
}

}  // namespace ddlbench::bench
