#include "bench/config/case_count.h"

#include <fmt/core.h>
#include <algorithm>
#include <set>
#include <vector>

#include "bench/config/axes.h"
#include "bench/config/problem.h"
#include "bench/config/resolve.h"
#include "json/pointer.h"

namespace ddlbench::bench {
namespace {

using Json = nlohmann::ordered_json;

/// A list, and how many values it has.
struct List {
  std::string pointer;
  double values = 1;
};

/// Numbers of combinations, by the groups of lists that advance together in them: the number at one place in these
/// lists.
using Groups = std::set<int>;
using Counts = std::map<Groups, double>;

Groups united(const Groups& one, const Groups& other) {
  Groups both = one;
  both.insert(other.begin(), other.end());
  return both;
}

/// The number of cases of an experiment, computed from the lengths of its lists.
class CaseCounter {
 public:
  CaseCounter(const Field& table, const Registries& registries, const Zips& zips)
      : table_(table), registries_(registries), zips_(zips), lengths_(zips.count(), 1) {}

  double cases(const Json& resolved) {
    Json settings = resolved;
    settings["strategies"] = nullptr;
    settings["devices"].erase("ranks");
    const Counts all = product(of(settings, table_, {}), of_strategies(resolved));
    double total = 0;
    for (const auto& [groups, count] : all) {
      double places = 1;
      for (const int group : groups) places *= lengths_[static_cast<std::size_t>(group)];
      total += count * places;
    }
    return total;
  }

  const List& longest_list() const {
    return *std::max_element(lists_.begin(), lists_.end(),
                             [](const List& a, const List& b) { return a.values < b.values; });
  }

 private:
  Counts of(const Json& value, const Field& field, const Place& at) {
    Counts counts{{Groups{}, 1}};
    if (is_list_of(value, field)) {
      Field one = field;
      one.sweep = false;
      counts.clear();
      for (std::size_t i = 0; i < value.size(); ++i) {
        const Counts own =
            field.each_case ? Counts{{Groups{}, 1}} : of(value[i], one, {at.setting, json::child(at.pointer, i)});
        for (const auto& [groups, count] : own) counts[groups] += count;
      }
      return of_list(at, value.size(), counts);
    }
    if (value.is_null()) return counts;
    visit_members(value, field, at, [&](const Json& inner, const Field& member, const Place& place) {
      counts = product(counts, of(inner, member, place));
    });
    return counts;
  }

  /// Notes a list. Returns the counts of its values together, or of one of them if it advances with others.
  Counts of_list(const Place& at, std::size_t size, const Counts& sum) {
    const auto values = static_cast<double>(size);
    lists_.push_back({at.pointer, values});
    const int group = zips_.group_of(at.setting);
    if (group == Zips::none || size < 2) return sum;
    lengths_[static_cast<std::size_t>(group)] = values;
    Counts one;
    for (const auto& [groups, count] : sum) one[united(groups, {group})] += count / values;
    return one;
  }

  static Counts product(const Counts& one, const Counts& other) {
    Counts both;
    for (const auto& [groups, count] : one)
      for (const auto& [more, times] : other) both[united(groups, more)] += count * times;
    return both;
  }

  /// Returns the number of pairs of a strategy and a number of ranks.
  Counts of_strategies(const Json& resolved) {
    const Field& kinds = *find(table_.fields, "strategies");
    const Json& all = resolved.at("strategies");
    const Json& ranks = resolved.at("devices").at("ranks");
    const Counts of_devices = of_ranks(ranks, "/devices/ranks");
    lists_.push_back({"/strategies", static_cast<double>(all.size())});
    Counts counts;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string pointer = json::child("/strategies", i);
      Json strategy = all[i];
      strategy.erase("ranks");
      Counts own = of(strategy, kinds, {"/strategy", pointer});
      const auto& kind = registries_.strategy(strategy.at("kind").get<std::string>());
      if (kind.fixed_ranks == nullptr) {
        const auto own_ranks = all[i].find("ranks");
        own =
            product(own, own_ranks == all[i].end() ? of_devices : of_ranks(*own_ranks, json::child(pointer, "ranks")));
      }
      for (const auto& [groups, count] : own) counts[groups] += count;
    }
    return counts;
  }

  Counts of_ranks(const Json& ranks, const std::string& pointer) {
    if (!ranks.is_array()) return {{Groups{}, 1}};
    return of_list({"/devices/ranks", pointer}, ranks.size(), {{Groups{}, static_cast<double>(ranks.size())}});
  }

  const Field& table_;
  const Registries& registries_;
  const Zips& zips_;
  std::vector<double> lengths_;  ///< of the lists of each group
  std::vector<List> lists_;
};

}  // namespace

void require_few_cases(const Json& resolved, const Field& table, const Registries& registries, const Zips& zips,
                       const std::map<std::string, json::Location>& locations, const json::Sources& sources) {
  CaseCounter counter(table, registries, zips);
  const double product = counter.cases(resolved);
  if (product <= static_cast<double>(max_cases)) return;
  const auto cases = static_cast<std::int64_t>(std::min(product, 1e18));
  const List& longest = counter.longest_list();
  throw ConfigError({{location_of(locations, longest.pointer), longest.pointer,
                      fmt::format("this experiment has {} cases, more than the {} that a run may have; this is its "
                                  "longest list: shorten it, or split the experiment",
                                  cases, max_cases)}},
                    sources);
}

}  // namespace ddlbench::bench
