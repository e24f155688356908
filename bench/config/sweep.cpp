#include "bench/config/sweep.h"

#include <fmt/core.h>

#include "bench/config/sweep_names.h"
#include "json/pointer.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::ordered_json;

class SweepReader {
 public:
  SweepReader(const Json& resolved, const Field& table, const std::map<std::string, json::Location>& locations,
              std::vector<json::Problem>& problems)
      : names_(resolved, table), locations_(locations), problems_(problems) {}

  std::vector<std::vector<std::string>> groups(const Json& zip) {
    std::vector<std::vector<std::string>> all;
    for (std::size_t i = 0; i < zip.size(); ++i) {
      std::vector<std::string>& group = all.emplace_back();
      const std::string at = json::child("/sweep/zip", i);
      for (std::size_t k = 0; k < zip[i].size(); ++k) {
        const std::string setting = setting_of(zip[i][k], json::child(at, k));
        if (!setting.empty() && can_be_zipped(setting, zip[i][k], json::child(at, k))) group.push_back(setting);
      }
      require_equal_lengths(group, at);
    }
    return all;
  }

  SweepRule rule(const Json& conditions, const std::string& pointer, const std::string& expect) {
    SweepRule made{pointer, expect, {}};
    for (const auto& [name, value] : conditions.items()) {
      if (std::string setting = setting_of(name, json::child(pointer, name)); !setting.empty())
        made.conditions.emplace_back(std::move(setting), value.dump());
    }
    return made;
  }

 private:
  void report(const std::string& pointer, std::string what) {
    problems_.push_back({location_of(locations_, pointer), pointer, std::move(what)});
  }

  std::string setting_of(const std::string& name, const std::string& pointer) {
    try {
      return names_.setting(name);
    } catch (const InputError& error) {
      report(pointer, error.what());
      return "";
    }
  }

  bool can_be_zipped(const std::string& setting, const std::string& name, const std::string& pointer) {
    if (names_.lists_of(setting).empty()) {
      report(pointer, fmt::format("\"{}\" is not a list in this experiment, so it cannot advance with others", name));
      return false;
    }
    const auto [other, is_new] = zipped_.emplace(setting, pointer);
    if (!is_new) report(pointer, "occurs already at " + other->second);
    return is_new;
  }

  void require_equal_lengths(const std::vector<std::string>& group, const std::string& pointer) {
    const SweepNames::List* first = nullptr;
    for (const std::string& setting : group) {
      for (const SweepNames::List& list : names_.lists_of(setting)) {
        if (first == nullptr) first = &list;
        if (list.size == first->size) continue;
        report(pointer, fmt::format("lists that advance together need the same length: {} has {} values, but {} has {}",
                                    first->pointer, first->size, list.pointer, list.size));
        return;
      }
    }
  }

  SweepNames names_;
  const std::map<std::string, json::Location>& locations_;
  std::vector<json::Problem>& problems_;
  std::map<std::string, std::string> zipped_;  ///< from a setting to where `zip` names it
};

}  // namespace

Sweep sweep_of(const Json& resolved, const Field& table, const std::map<std::string, json::Location>& locations,
               std::vector<json::Problem>& problems) {
  const auto section = resolved.find("sweep");
  if (section == resolved.end()) return {};
  SweepReader reader(resolved, table, locations, problems);
  Sweep sweep{Zips(reader.groups(section->value("zip", Json::array()))), {}};
  const auto add_rules = [&](const Json& rules, const std::string& pointer, const std::string& expect) {
    for (std::size_t i = 0; i < rules.size(); ++i)
      sweep.rules.push_back(reader.rule(rules[i], json::child(pointer, i), expect));
  };
  add_rules(section->value("exclude", Json::array()), "/sweep/exclude", "");
  const Json expect = section->value("expect", Json::object());
  for (const auto& [status, rules] : expect.items()) add_rules(rules, json::child("/sweep/expect", status), status);
  return sweep;
}

}  // namespace ddlbench::bench
