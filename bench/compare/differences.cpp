#include "bench/compare/differences.h"

#include <fmt/core.h>
#include <algorithm>
#include <map>
#include <utility>

#include "base/join.h"
#include "bench/config/contract.h"
#include "bench/page/environment_text.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::json;

const std::string absent = "–";

/// Returns the settings that the case's contract covers, with those that a sweep gives each case its own value of.
Json contract_settings(const RunResults& run, const CaseRecord& record) {
  Json settings = Json::object();
  try {
    settings = shared_settings(run.config);
  } catch (const Json::exception&) {  // config.json is missing or damaged, which a note of the run says
  }
  Json& workload = settings["workload"];
  if (!workload.is_object() || !workload.contains("model") || workload["model"].is_array())
    workload = {{"model", record.workload}, {"dataset", record.dataset}};
  workload["global_batch"] = record.global_batch;
  settings["training"]["seed"] = record.seed;
  settings["devices"] = {{"throttle", record.throttle}, {"kind", record.device}};
  return settings;
}

}  // namespace

std::vector<Difference> differences(const Json& old_object, const Json& new_object, char between) {
  std::map<std::string, std::pair<std::string, std::string>> values;
  for (const auto& [name, text] : flattened(old_object, between)) values[name] = {text, absent};
  for (const auto& [name, text] : flattened(new_object, between)) {
    const auto [entry, is_new] = values.try_emplace(name, absent, text);
    if (!is_new) entry->second.second = text;
  }
  std::vector<Difference> found;
  for (const auto& [name, both] : values) {
    if (both.first != both.second) found.push_back({name, both.first, both.second});
  }
  return found;
}

std::vector<Difference> environment_differences(const RunResults& old_run, const RunResults& new_run) {
  std::vector<Difference> found = differences(old_run.environment, new_run.environment, '.');
  std::erase_if(found, [](const Difference& one) {  // what differs from run to run
    const bool is_ranks_of_host = one.name.starts_with("hosts.") && one.name.ends_with(".ranks");
    return one.name == "start_time_utc" || one.name == "config_hash" || one.name == "command_line" || is_ranks_of_host;
  });
  return found;
}

std::vector<Difference> config_differences(const RunResults& old_run, const RunResults& new_run) {
  return differences(old_run.config, new_run.config, '/');
}

std::string listed(const std::vector<Difference>& found) {
  return joined(found, ", ", [](const Difference& one) {
    return fmt::format("{} ({} → {})", one.name, one.old_value, one.new_value);
  });
}

std::string contract_difference(const RunResults& old_run, const CaseRecord& old_case, const RunResults& new_run,
                                const CaseRecord& new_case) {
  constexpr std::size_t most_shown = 5;
  std::vector<Difference> found =
      differences(contract_settings(old_run, old_case), contract_settings(new_run, new_case), '/');
  if (found.empty()) return "files that its settings name, or defaults of another version";
  const std::size_t more = found.size() - std::min(found.size(), most_shown);
  found.resize(found.size() - more);
  return more == 0 ? listed(found) : fmt::format("{} and {} more", listed(found), more);
}

}  // namespace ddlbench::bench
