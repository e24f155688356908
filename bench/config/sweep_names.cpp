#include "bench/config/sweep_names.h"

#include <fmt/core.h>
#include <algorithm>

#include "base/error.h"
#include "base/join.h"
#include "bench/config/axes.h"
#include "bench/config/resolve.h"
#include "json/pointer.h"
#include "json/suggest.h"

namespace ddlbench::bench {

using Json = nlohmann::ordered_json;

SweepNames::SweepNames(const Json& resolved, const Field& table) {
  visit_sweeps(resolved, table, {}, [this](const Place& at, const Field& field, const Json& value) {
    add(at.setting, at.pointer, is_list_of(value, field) ? value.size() : 0);
  });
  lists_["/strategy"];
  settings_["strategy"] = {"/strategy"};
  const Field& kinds = *find(table.fields, "strategies");
  const Json& strategies = resolved.at("strategies");
  for (std::size_t i = 0; i < strategies.size(); ++i) {
    visit_sweeps(strategies[i], kinds, {"/strategy", json::child("/strategies", i)},
                 [this](const Place& at, const Field& field, const Json& value) {
                   // The ranks of a strategy replace those of the devices.
                   add(at.setting == "/strategy/ranks" ? "/devices/ranks" : at.setting, at.pointer,
                       is_list_of(value, field) ? value.size() : 0);
                 });
  }
}

void SweepNames::add(const std::string& setting, const std::string& pointer, std::size_t size) {
  if (!lists_.contains(setting)) settings_[json::split_pointer(setting).back()].push_back(setting);
  std::vector<List>& lists = lists_[setting];
  if (size > 0) lists.push_back({pointer, size});
}

std::string SweepNames::setting(const std::string& name) const {
  if (lists_.contains(name)) return name;
  const auto found = settings_.find(name);
  if (found == settings_.end()) {
    std::vector<std::string> known;
    for (const auto& [one, settings] : settings_) known.push_back(one);
    throw InputError(
        fmt::format("there is no setting \"{}\" that may be a list {}", name, json::suggestion(name, known, "known")));
  }
  std::vector<std::string> settings = found->second;
  if (settings.size() > 1) std::erase_if(settings, [this](const std::string& one) { return lists_.at(one).empty(); });
  if (settings.size() == 1) return settings.front();
  throw InputError(fmt::format("several settings are called \"{}\": name one of {}", name, joined(found->second)));
}

}  // namespace ddlbench::bench
