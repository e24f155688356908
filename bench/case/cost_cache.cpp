#include "bench/case/cost_cache.h"

#include <fmt/core.h>

#include "bench/case/device_options.h"
#include "bench/records/build_info.h"
#include "bench/records/cache_file.h"
#include "comm/process_place.h"
#include "kernels/device.h"
#include "platform/host_name.h"

namespace ddlbench::bench {
namespace {

constexpr const char* kind = "profile";

}  // namespace

std::string profile_context(const Experiment& experiment, const Case& which, int cores) {
  const int rank = comm::process_place().value_or(comm::ProcessPlace{}).rank;
  const auto device =
      kernels::make_device(experiment.devices.kind, device_options(experiment, rank, which.threads_per_rank));
  const std::string precision = experiment.training.precision == "fp32" ? "" : "|" + experiment.training.precision;
  const std::string winograd = experiment.devices.winograd ? "" : "|no winograd";
  const std::string deterministic = experiment.devices.deterministic ? "" : "|nondeterministic";
  return fmt::format("{}|{}|{} cores|{} ranks|{}|{}{}{}{}", platform::host_name(), device->description(), cores,
                     which.ranks, experiment.devices.transport_choice(), build_info.version, precision, winograd,
                     deterministic);
}

program::CostTable load_profile(const std::string& folder, const std::string& context) {
  program::CostTable costs;
  const nlohmann::json entries = CacheFile(folder, kind, context).load();
  for (const auto& [key, seconds] : entries.items()) {
    if (seconds.is_number()) costs.insert(key, {seconds.get<double>(), 0});
  }
  return costs;
}

bool store_profile(const std::string& folder, const std::string& context, const program::CostTable& costs) {
  nlohmann::json seconds = nlohmann::json::object();
  for (const auto& [key, cost] : costs.all()) {
    if (cost.seconds) seconds[key] = *cost.seconds;
  }
  return CacheFile(folder, kind, context).add(seconds);
}

}  // namespace ddlbench::bench
