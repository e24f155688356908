#include "bench/case/cost_cache.h"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "bench/case/device_options.h"
#include "bench/records/build_info.h"
#include "bench/records/digest.h"
#include "bench/records/file.h"
#include "comm/process_place.h"
#include "graph/error.h"
#include "kernels/device.h"

namespace ddlbench::bench {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string file_of(const std::string& folder, const std::string& context) {
  return folder + "/profile-" + hash_of(context) + ".json";
}

}  // namespace

std::string profile_folder() {
  if (!variable("DDLBENCH_NO_CACHE").empty()) return "";
  if (const std::string cache = variable("XDG_CACHE_HOME"); !cache.empty()) return cache + "/ddlbench";
  if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/ddlbench";
  return "";
}

std::string profile_context(const Experiment& experiment, const Case& which, int cores) {
  const int rank = comm::process_place().value_or(comm::ProcessPlace{}).rank;
  const auto device =
      kernels::make_device(experiment.devices.kind, device_options(experiment, rank, which.threads_per_rank));
  const std::string precision = experiment.training.precision == "fp32" ? "" : "|" + experiment.training.precision;
  return host_name() + "|" + device->description() + "|" + std::to_string(cores) + " cores|" +
         std::to_string(which.ranks) + " ranks|" + experiment.devices.carrier() + "|" + build_info.version + precision;
}

program::CostTable load_profile(const std::string& folder, const std::string& context) {
  program::CostTable costs;
  const std::string file = file_of(folder, context);
  if (folder.empty() || !std::filesystem::exists(file)) return costs;
  try {
    const auto json = nlohmann::json::parse(read_file(file));
    if (json.at("context") != context) return costs;  // another with the same hash
    for (const auto& [key, seconds] : json.at("seconds").items()) costs.insert(key, {seconds.get<double>(), 0});
  } catch (const nlohmann::json::exception& error) {
    std::cerr << "the profile " << file << " cannot be read and is not used; the next one replaces it (" << error.what()
              << ")\n";
    return {};
  }
  return costs;
}

void store_profile(const std::string& folder, const std::string& context, const program::CostTable& costs) {
  if (folder.empty()) return;
  program::CostTable all = load_profile(folder, context);
  for (const auto& [key, cost] : costs.all()) all.insert(key, cost);
  nlohmann::json seconds = nlohmann::json::object();
  for (const auto& [key, cost] : all.all()) {
    if (cost.seconds) seconds[key] = *cost.seconds;
  }
  std::filesystem::create_directories(folder);
  write_file_atomically(file_of(folder, context),
                        nlohmann::json{{"context", context}, {"seconds", seconds}}.dump(1) + "\n");
}

}  // namespace ddlbench::bench
