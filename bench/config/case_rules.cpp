#include "bench/config/case_rules.h"

#include <fmt/core.h>
#include <algorithm>

#include "bench/config/problem.h"
#include "bench/config/resolve.h"

namespace ddlbench::bench {
namespace {

const std::string strategy_setting = "/strategy";

/// Returns the value of a setting that each case chooses; null for others.
nlohmann::json value_in(const Case& which, const std::string& setting) {
  if (setting == "/devices/ranks") return which.ranks;
  if (setting == "/devices/threads_per_rank") return which.threads_per_rank;
  if (setting == "/workload/global_batch") return which.global_batch;
  if (setting == "/workload/batch_per_rank") return which.global_batch / which.ranks;
  if (setting == "/training/seed") return which.seed;
  return nullptr;
}

nlohmann::json value_in(const StrategyChoice& strategy, const std::string& setting) {
  if (setting != strategy_setting) {
    const auto option = strategy.choice.options.find(setting.substr(strategy_setting.size() + 1));
    return option == strategy.choice.options.end() ? nlohmann::json() : nlohmann::json(to_json(option->second));
  }
  nlohmann::json value{{"kind", strategy.choice.kind}};
  for (const auto& [name, option] : strategy.choice.options) value[name] = to_json(option);
  return value;
}

/// Returns whether `value` is what a rule names: the kind of a choice, some members of an object, or the whole.
bool is_named_by(const nlohmann::json& wanted, const nlohmann::json& value) {
  if (!value.is_object() || wanted == value) return wanted == value;
  if (wanted.is_string()) return value.value("kind", nlohmann::json()) == wanted;
  return wanted.is_object() && std::all_of(wanted.items().begin(), wanted.items().end(), [&value](const auto& member) {
           const auto own = value.find(member.key());
           return own != value.end() && is_named_by(member.value(), *own);
         });
}

bool is_one_of(const nlohmann::json& wanted, const nlohmann::json& value) {
  if (!wanted.is_array()) return is_named_by(wanted, value);
  return wanted == value || std::any_of(wanted.begin(), wanted.end(),
                                        [&value](const nlohmann::json& one) { return is_named_by(one, value); });
}

}  // namespace

CaseRules::CaseRules(const Experiment& experiment) : experiment_(experiment) {
  for (const SweepRule& written : experiment.combinations.rules) {
    Rule& rule = rules_.emplace_back(Rule{&written, {}, {}, {}});
    for (const auto& [setting, values] : written.conditions) {
      auto& conditions = setting.starts_with(strategy_setting) ? rule.of_strategy
                         : value_in(Case{}, setting).is_null() ? rule.of_variant
                                                               : rule.of_case;
      conditions.push_back({setting, nlohmann::json::parse(values)});
    }
  }
}

void CaseRules::enter(const Variant& variant) {
  if (rules_.empty()) return;
  const nlohmann::json resolved = nlohmann::json::parse(variant.resolved);
  for (Rule& rule : rules_) {
    rule.holds_in_variant =
        std::all_of(rule.of_variant.begin(), rule.of_variant.end(), [&resolved](const Condition& one) {
          // The learning rate of a workload has replaced the optimizer's.
          const nlohmann::json::json_pointer at(
              one.setting == "/workload/learning_rate" ? "/training/optimizer/learning_rate" : one.setting);
          return resolved.contains(at) && is_one_of(one.values, resolved.at(at));
        });
  }
}

bool CaseRules::holds_for_strategy(const Rule& rule, const StrategyChoice& strategy) {
  const auto [known, is_new] = of_strategies_.try_emplace({&rule, strategy.index});
  if (is_new) {
    known->second = std::all_of(rule.of_strategy.begin(), rule.of_strategy.end(), [&strategy](const Condition& one) {
      return is_one_of(one.values, value_in(strategy, one.setting));
    });
  }
  return known->second;
}

bool CaseRules::matches(const Rule& rule, const Case& which) {
  return rule.holds_in_variant && holds_for_strategy(rule, which.strategy) &&
         std::all_of(rule.of_case.begin(), rule.of_case.end(),
                     [&which](const Condition& one) { return is_one_of(one.values, value_in(which, one.setting)); });
}

bool CaseRules::excludes(Case& which) {
  bool excluded = false;
  for (Rule& rule : rules_) {
    if (!matches(rule, which)) continue;
    rule.has_matched = true;
    if (rule.written->expect.empty())
      excluded = true;
    else
      which.strategy.expect = rule.written->expect;
  }
  return excluded;
}

void CaseRules::require_effect(std::size_t remaining_cases) const {
  std::vector<json::Problem> problems;
  const auto report = [&](const std::string& pointer, std::string what) {
    problems.push_back({location_of(experiment_.locations, pointer), pointer, std::move(what)});
  };
  for (const Rule& rule : rules_) {
    if (!rule.has_matched)
      report(rule.written->pointer, "matches no case: correct a value, or remove the rule (--dry-run lists the cases)");
  }
  if (remaining_cases == 0) report("/sweep/exclude", "leaves out every case: remove a rule");
  if (!problems.empty()) throw ConfigError(std::move(problems), experiment_.sources);
}

}  // namespace ddlbench::bench
