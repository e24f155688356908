#include "bench/report/seeds.h"

#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "base/join.h"
#include "base/units.h"
#include "bench/report/grid.h"
#include "bench/statistics/interval.h"
#include "bench/statistics/paired_differences.h"
#include "bench/statistics/verdict.h"

namespace ddlbench::bench {

namespace {

constexpr std::uint64_t resampling = 1;  ///< seed of the bootstrap

using BySeed = std::map<std::uint64_t, double>;

/// The cases of one strategy on one number of ranks, which differ in the seed alone.
struct Line {
  const CaseRecord* any = nullptr;
  BySeed log_seconds;  ///< of a step
  BySeed accuracy;
  BySeed seconds_to_target, epochs_to_target;
  std::size_t trained = 0;
};

/// The cases of contracts that differ in the seed alone.
struct Replicates {
  std::vector<std::uint64_t> seeds;
  std::map<std::tuple<int, int, std::string>, Line> lines;  ///< by ranks, threads and strategy
};

void add(Replicates& to, const CaseRecord& record, bool ranked) {
  if (record.status != Status::ok || !record.measurement) return;
  const Measurement& measured = *record.measurement;
  const bool trained = !measured.epoch_seconds_source.empty();
  if (!ranked && !trained) return;
  if (std::find(to.seeds.begin(), to.seeds.end(), record.seed) == to.seeds.end()) to.seeds.push_back(record.seed);
  Line& line = to.lines[{record.ranks, record.threads_per_rank, record.strategy}];
  line.any = &record;
  if (ranked) line.log_seconds[record.seed] = std::log(measured.step_seconds);
  if (!trained) return;
  ++line.trained;
  line.accuracy[record.seed] = measured.final_accuracy_ratio;
  if (record.seconds_to_target) line.seconds_to_target[record.seed] = *record.seconds_to_target;
  if (record.epochs_to_target) line.epochs_to_target[record.seed] = static_cast<double>(*record.epochs_to_target);
}

std::vector<double> values_of(const BySeed& by_seed) {
  std::vector<double> values;
  for (const auto& [seed, value] : by_seed) values.push_back(value);
  return values;
}

Interval exponential(const Interval& of) {
  return {std::exp(of.value), std::exp(of.low), std::exp(of.high)};
}

/// Returns "0.874 [0.870, 0.878]"; only the value if there is one seed; empty if there is none.
std::string cell(const BySeed& by_seed, const auto& format) {
  if (by_seed.empty()) return "";
  const Interval mean = location(values_of(by_seed), resampling);
  if (by_seed.size() == 1) return format(mean.value);
  return fmt::format("{} [{}, {}]", format(mean.value), format(mean.low), format(mean.high));
}

const Line* baseline_of(const Replicates& replicates) {
  const Line* best = nullptr;
  double least = INFINITY;
  for (const auto& [key, line] : replicates.lines) {
    if (std::get<0>(key) != 1 || line.log_seconds.empty()) continue;
    const double time = hodges_lehmann(values_of(line.log_seconds));
    if (time < least) best = &line;
    least = std::min(least, time);
  }
  return best;
}

std::string speedup(const Line& line, const Line& baseline) {
  const std::vector<double> ratios = paired_differences(baseline.log_seconds, line.log_seconds);
  if (ratios.empty() || &line == &baseline) return &line == &baseline ? "1.00" : "";
  const Interval ratio = exponential(location(ratios, resampling));
  if (ratios.size() == 1) return format_ratio(ratio.value);
  return fmt::format("{} [{}, {}]", format_ratio(ratio.value), format_ratio(ratio.low), format_ratio(ratio.high));
}

/// Returns the difference of each line's accuracy from the baseline's, and whether it is one.
std::map<const Line*, std::string> accuracy_verdicts(const Replicates& replicates, const Line& baseline) {
  std::vector<std::pair<const Line*, TimeComparison>> compared;
  std::vector<double> p_values;
  for (const auto& [key, line] : replicates.lines) {
    const std::vector<double> found = paired_differences(line.accuracy, baseline.accuracy);
    if (&line == &baseline || found.size() < 2) continue;
    compared.emplace_back(&line, compare_paired(found, resampling));  // differences of accuracies instead of times
    p_values.push_back(compared.back().second.p);
  }
  const std::vector<double> adjusted = holm(p_values);
  std::map<const Line*, std::string> texts;
  for (std::size_t i = 0; i < compared.size(); ++i) {
    const Interval& by = compared[i].second.log_ratio;
    const bool differs = adjusted[i] <= 1 - usual_confidence && (by.low > 0 || by.high < 0);
    texts[compared[i].first] = fmt::format("{:+.4f} [{:+.4f}, {:+.4f}] {}", by.value, by.low, by.high,
                                           !differs       ? "not shown to differ"
                                           : by.value > 0 ? "better"
                                                          : "worse");
  }
  return texts;
}

/// Returns the time or the number of epochs to the target; how many reached it, if not all did.
std::string to_target(const Line& line, const BySeed& by_seed, const auto& format) {
  if (line.any->target.empty() || line.trained == 0) return "";
  if (by_seed.size() == line.trained) return cell(by_seed, format);
  return fmt::format("{} of {} reached it", by_seed.size(), line.trained);
}

std::string describe(const Replicates& replicates) {
  const std::string contract = describe_contract(*replicates.lines.begin()->second.any);
  std::vector<std::string> seeds;
  for (const std::uint64_t seed : replicates.seeds) seeds.push_back(std::to_string(seed));
  return fmt::format("{}, over the seeds {}", contract.substr(0, contract.rfind(", seed")), joined(seeds));
}

std::string table(const Replicates& replicates) {
  const Line* baseline = baseline_of(replicates);
  double largest = 0;
  for (const auto& [key, line] : replicates.lines) {
    for (const auto& [seed, log_seconds] : line.log_seconds) largest = std::max(largest, std::exp(log_seconds));
  }
  const TimeUnit unit(largest);
  const auto seconds_of_log = [&](double value) { return unit.format(std::exp(value)); };
  const auto accuracy_of = [](double value) { return fmt::format("{:.4f}", value); };
  const std::map<const Line*, std::string> verdicts =
      baseline != nullptr ? accuracy_verdicts(replicates, *baseline) : std::map<const Line*, std::string>();
  using enum Grid::Align;
  std::vector<std::vector<std::string>> columns{{"strategy"},
                                                {"ranks×threads"},
                                                {fmt::format("step, {} [95 %]", unit.name())},
                                                {"speedup [95 %]"},
                                                {"accuracy [95 %]"},
                                                {"less that on one rank [95 %]"},
                                                {"time to target, s [95 %]"},
                                                {"epochs to target [95 %]"}};
  for (const auto& [key, line] : replicates.lines) {
    const auto found = verdicts.find(&line);
    const std::vector<std::string> cells{
        line.any->strategy,
        ranks_and_threads(*line.any),
        cell(line.log_seconds, seconds_of_log),
        baseline != nullptr ? speedup(line, *baseline) : "",
        cell(line.accuracy, accuracy_of),
        found != verdicts.end() ? found->second : "",
        to_target(line, line.seconds_to_target, [](double value) { return fmt::format("{:.2f}", value); }),
        to_target(line, line.epochs_to_target, [](double value) { return fmt::format("{:.1f}", value); })};
    for (std::size_t i = 0; i < cells.size(); ++i) columns[i].push_back(cells[i]);
  }
  // A column without content is left out.
  std::erase_if(columns, [](const auto& column) {
    return std::all_of(column.begin() + 1, column.end(), [](const std::string& text) { return text.empty(); });
  });
  std::vector<Grid::Align> aligned(columns.size(), right);
  aligned.front() = left;
  Grid grid(aligned);
  for (std::size_t row = 0; row <= replicates.lines.size(); ++row) {
    std::vector<std::string> cells;
    for (const auto& column : columns) cells.push_back(column[row]);
    grid.add(cells);
  }
  return fmt::format("{}\n{}", describe(replicates), grid.text(2));
}

}  // namespace

std::string format_seeds(const std::vector<Ranking>& rankings) {
  std::vector<std::string> order;
  std::map<std::string, Replicates> all;
  const auto keep = [&](const CaseRecord& record, bool ranked) {
    if (!record.replicate_id) return;
    if (!all.contains(*record.replicate_id)) order.push_back(*record.replicate_id);
    add(all[*record.replicate_id], record, ranked);
  };
  for (const Ranking& ranking : rankings) {
    for (const RankedCase& entry : ranking.ranked) keep(entry.record, true);
    for (const UnrankedCase& entry : ranking.unranked) keep(entry.record, false);
  }
  std::string text;
  for (const std::string& id : order) {
    if (all.at(id).seeds.size() > 1) text += '\n' + table(all.at(id));
  }
  return text;
}

}  // namespace ddlbench::bench
