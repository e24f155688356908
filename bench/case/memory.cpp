#include "bench/case/memory.h"

#include <fmt/core.h>
#include <algorithm>
#include <numeric>

#include "base/hash.h"
#include "base/units.h"
#include "bench/case/gather.h"
#include "kernels/gpu_info.h"
#include "platform/host_name.h"
#include "platform/memory_groups.h"
#include "program/account.h"

namespace ddlbench::bench {
namespace {

constexpr const char* remedy = "; use more ranks, a strategy that shards or recomputes, or a smaller global_batch";

}  // namespace

MemoryLimits memory_limits(const Devices& devices) {
  MemoryLimits limits{devices.memory_bytes, 0};
  if (devices.derived.is_accelerator) return limits;
  limits.machine_bytes = platform::limited_memory_bytes();
  if (limits.machine_bytes < platform::installed_memory_bytes())
    limits.place = "this control group, which a batch system or --memory-limit limits";
  return limits;
}

std::string why_too_large(const std::vector<std::int64_t>& peak_bytes, const std::vector<int>& here,
                          const MemoryLimits& limits) {
  const auto most = std::max_element(peak_bytes.begin(), peak_bytes.end());
  if (limits.rank_bytes && *most > *limits.rank_bytes) {
    return fmt::format("rank {} needs {}, more than the {} of devices/memory_bytes{}", most - peak_bytes.begin(),
                       format_exact_bytes(*most), format_exact_bytes(*limits.rank_bytes), remedy);
  }
  const auto planned = [&peak_bytes](int rank) { return peak_bytes.at(static_cast<std::size_t>(rank)); };
  const auto sum = std::accumulate(here.begin(), here.end(), std::int64_t{0},
                                   [&](std::int64_t before, int rank) { return before + planned(rank); });
  if (limits.machine_bytes == 0 || sum <= limits.machine_bytes) return "";
  const int largest =
      *std::max_element(here.begin(), here.end(), [&](int a, int b) { return planned(a) < planned(b); });
  const std::string machine =
      fmt::format(", more than the {} of {}{}", format_exact_bytes(limits.machine_bytes), limits.place, remedy);
  if (here.size() == 1) return fmt::format("rank {} needs {}{}", largest, format_exact_bytes(sum), machine);
  return fmt::format("the {} ranks here need {} together, rank {} the most with {}{}", here.size(),
                     format_exact_bytes(sum), largest, format_exact_bytes(planned(largest)), machine);
}

std::string why_too_large_apart(const std::vector<std::int64_t>& peak_bytes, const Devices& devices) {
  const std::vector<kernels::GpuInfo>& gpus = kernels::cached_gpus();
  const auto most = static_cast<int>(std::max_element(peak_bytes.begin(), peak_bytes.end()) - peak_bytes.begin());
  if (gpus.empty()) return why_too_large(peak_bytes, {most}, {devices.memory_bytes, 0});
  const auto limits = [&](const kernels::GpuInfo& gpu) {
    return MemoryLimits{devices.memory_bytes, gpu.memory_bytes, fmt::format("{} ({})", gpu.name, gpu.uuid)};
  };
  if (devices.needs_launcher()) {
    return why_too_large(peak_bytes, {most},
                         limits(*std::max_element(gpus.begin(), gpus.end(), [](const auto& a, const auto& b) {
                           return a.memory_bytes < b.memory_bytes;
                         })));
  }
  for (std::size_t gpu = 0; gpu < std::min(gpus.size(), peak_bytes.size()); ++gpu) {
    std::vector<int> ranks;
    for (std::size_t rank = gpu; rank < peak_bytes.size(); rank += gpus.size()) ranks.push_back(static_cast<int>(rank));
    const std::string why = why_too_large(peak_bytes, ranks, limits(gpus[gpu]));
    if (!why.empty()) return why;
  }
  return "";
}

std::vector<std::int64_t> peak_bytes_of(const program::Plan& plan) {
  std::vector<std::int64_t> peaks;
  for (int rank = 0; rank < plan.ranks(); ++rank) peaks.push_back(program::account(plan, rank).peak_bytes);
  return peaks;
}

void require_fits(const program::Plan& plan, const Devices& devices, const std::vector<PlacedDevice>& placed,
                  comm::Communicator& communicator) {
  const std::vector<std::int64_t> peaks = peak_bytes_of(plan);
  for (const PlacedDevice& device : placed) {
    const std::string why = why_too_large(
        peaks, device.ranks,
        {devices.memory_bytes, device.memory_bytes, fmt::format("{} ({})", device.name, device.identity)});
    if (!why.empty()) throw OutOfMemory(why);
  }
  if (!placed.empty()) return;
  const std::uint64_t own = fnv1a(platform::host_name());
  const auto keys = all_gather<std::uint64_t>(communicator, {own});
  std::vector<int> here;
  for (std::size_t rank = 0; rank < keys.size(); ++rank) {
    if (keys[rank].at(0) == own) here.push_back(static_cast<int>(rank));
  }
  const std::string why = why_too_large(peaks, here, memory_limits(devices));
  if (!why.empty()) throw OutOfMemory(why);
}

}  // namespace ddlbench::bench
