#include "bench/report/seed_summary.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/group_of.h"
#include "base/join.h"
#include "bench/report/replicate_key.h"
#include "bench/report/seed_estimate.h"
#include "bench/statistics/paired_differences.h"
#include "bench/statistics/verdict.h"

namespace ddlbench::bench {

namespace {

using BySeed = std::map<std::uint64_t, double>;

/// The values of a line.
struct Values {
  const CaseRecord* any = nullptr;
  BySeed log_seconds;  ///< of a step
  BySeed accuracy;
  BySeed seconds_to_target, epochs_to_target;
};

struct TableValues {
  std::vector<std::uint64_t> seeds;
  std::map<ReplicateKey, Values> lines;
};

void add(TableValues& to, const CaseRecord& record, bool ranked) {
  if (record.status != Status::ok || !record.measurement) return;
  const Measurement& measured = *record.measurement;
  const bool trained = has_trained(record);
  if (!ranked && !trained) return;
  if (std::find(to.seeds.begin(), to.seeds.end(), record.seed) == to.seeds.end()) to.seeds.push_back(record.seed);
  Values& line = to.lines[replicate_key(record)];
  line.any = &record;
  if (ranked) line.log_seconds[record.seed] = std::log(measured.step_seconds);
  if (!trained) return;
  line.accuracy[record.seed] = measured.final_accuracy_ratio;
  if (record.seconds_to_target) line.seconds_to_target[record.seed] = *record.seconds_to_target;
  if (record.epochs_to_target) line.epochs_to_target[record.seed] = static_cast<double>(*record.epochs_to_target);
}

std::vector<double> values_of(const BySeed& by_seed) {
  std::vector<double> values;
  for (const auto& [seed, value] : by_seed) values.push_back(value);
  return values;
}

std::optional<Interval> estimate(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return estimate_over_seeds(values);
}

std::optional<Interval> exponential(const std::optional<Interval>& of) {
  if (!of) return std::nullopt;
  return bench::exponential(*of);
}

const Values* baseline_of(const TableValues& replicates) {
  const Values* best = nullptr;
  double least = INFINITY;
  for (const auto& [key, line] : replicates.lines) {
    if (key.ranks != 1 || line.log_seconds.empty()) continue;
    const double time = hodges_lehmann(values_of(line.log_seconds));
    if (time < least) best = &line;
    least = std::min(least, time);
  }
  return best;
}

SeedLine summary(const Values& values, const Values* baseline) {
  const CaseRecord& any = *values.any;
  SeedLine line;
  line.strategy = any.strategy;
  line.ranks = any.ranks;
  line.threads_per_rank = any.threads_per_rank;
  line.is_baseline = &values == baseline;
  line.step_seconds = exponential(estimate(values_of(values.log_seconds)));
  line.accuracy_ratio = estimate(values_of(values.accuracy));
  if (line.is_baseline) {
    line.speedup_ratio = Interval{1, 1, 1};
  } else if (baseline != nullptr) {
    line.speedup_ratio = exponential(estimate(paired_differences(baseline->log_seconds, values.log_seconds)));
  }
  line.has_target = !any.target.empty();
  line.trained = values.accuracy.size();
  line.reached = values.seconds_to_target.size();
  if (line.has_target && line.reached == line.trained) {
    line.seconds_to_target = estimate(values_of(values.seconds_to_target));
    line.epochs_to_target = estimate(values_of(values.epochs_to_target));
  }
  return line;
}

/// Adds the difference of each line's accuracy from the baseline's, and whether it is one.
void compare_accuracies(const std::vector<const Values*>& values, const Values& baseline,
                        std::vector<SeedLine>& lines) {
  std::vector<std::pair<std::size_t, TimeComparison>> compared;
  std::vector<double> p_values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::vector<double> found = paired_differences(values[i]->accuracy, baseline.accuracy);
    if (values[i] == &baseline || found.size() < 2) continue;
    compared.emplace_back(i, compare_paired(found, seed_resampling));  // differences of accuracies instead of times
    p_values.push_back(compared.back().second.p);
  }
  const std::vector<double> adjusted = holm(p_values);
  for (std::size_t i = 0; i < compared.size(); ++i) {
    const Interval& by = compared[i].second.log_ratio;
    const bool differs = adjusted[i] <= 1 - usual_confidence && (by.low > 0 || by.high < 0);
    SeedLine& line = lines[compared[i].first];
    line.accuracy_difference = by;
    line.accuracy_verdict = !differs ? "not shown to differ" : by.value > 0 ? "better" : "worse";
  }
}

/// Adds device, transport and settings to the lines where they vary.
void name_conditions(const TableValues& replicates, std::vector<SeedLine>& lines) {
  for (const auto part : {&ReplicateKey::device, &ReplicateKey::transport, &ReplicateKey::settings}) {
    std::set<std::string> values;
    for (const auto& [key, line] : replicates.lines) values.insert(key.*part);
    if (values.size() == 1) continue;
    auto line = lines.begin();
    for (const auto& [key, of] : replicates.lines) {
      std::string& conditions = line++->conditions;
      if (!(key.*part).empty()) conditions += (conditions.empty() ? "" : ", ") + key.*part;
    }
  }
}

SeedTable table(const std::string& replicate_id, const TableValues& replicates) {
  const std::string contract = describe_contract(*replicates.lines.begin()->second.any);
  SeedTable table{
      replicate_id,
      fmt::format("{}, over the seeds {}", contract.substr(0, contract.rfind(", seed")), joined(replicates.seeds)),
      replicates.seeds,
      {}};
  const Values* baseline = baseline_of(replicates);
  std::vector<const Values*> values;
  for (const auto& [key, line] : replicates.lines) {
    values.push_back(&line);
    table.lines.push_back(summary(line, baseline));
  }
  name_conditions(replicates, table.lines);
  if (baseline != nullptr) compare_accuracies(values, *baseline, table.lines);
  return table;
}

}  // namespace

std::vector<SeedTable> seed_tables(const std::vector<Ranking>& rankings) {
  std::vector<std::pair<std::string, TableValues>> all;
  const auto keep = [&](const CaseRecord& record, bool ranked) {
    if (record.replicate_id) add(group_of(all, *record.replicate_id), record, ranked);
  };
  for (const Ranking& ranking : rankings) {
    for (const RankedCase& entry : ranking.ranked) keep(entry.record, true);
    for (const UnrankedCase& entry : ranking.unranked) keep(entry.record, false);
  }
  std::vector<SeedTable> tables;
  for (const auto& [id, replicates] : all) {
    if (replicates.seeds.size() > 1) tables.push_back(table(id, replicates));
  }
  return tables;
}

}  // namespace ddlbench::bench
