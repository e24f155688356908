#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include "bench/page/case_lines.h"
#include "bench/page/line_chart.h"
#include "bench/page/sections.h"
#include "bench/page/svg.h"

namespace ddlbench::bench {
namespace {

struct LearningMeasure {
  const char* title;
  const char* target;  ///< its word in the column `target`
  double EpochRecord::*value;
};
constexpr LearningMeasure accuracy_measure{"Validation accuracy", "accuracy", &EpochRecord::accuracy_ratio};
constexpr LearningMeasure loss_measure{"Validation loss", "loss", &EpochRecord::validation_loss};

using EpochsByCase = std::map<std::string, std::vector<const EpochRecord*>>;

EpochsByCase epochs_by_case(const Records& records) {
  EpochsByCase epochs;
  for (const EpochRecord& epoch : records.epochs) epochs[epoch.case_id].push_back(&epoch);
  return epochs;
}

/// Returns the number after the measure's word in "loss 0.5 and accuracy 0.9".
std::optional<double> target_of(const RunResults& results, const LearningMeasure& measure) {
  for (const CaseRow& row : results.rows) {
    const std::string& text = row.record.target;
    const auto at = text.find(std::string(measure.target) + " ");
    if (at == std::string::npos) continue;
    return std::strtod(text.c_str() + at + std::string_view(measure.target).size(), nullptr);
  }
  return std::nullopt;
}

struct LearningAxes {
  const char* name;
  double (*x)(const EpochRecord&);
  DisplayUnit unit;
  std::string title;
};

/// Contracts that differ in the seed alone.
using ReplicateGroup = std::vector<Replicates>;

std::vector<ReplicateGroup> groups_of(const RunResults& results) {
  std::vector<std::string> order;
  std::map<std::string, ReplicateGroup> groups;
  for (Replicates& replicates : replicates_of(results)) {
    const CaseRecord& any = replicates.front()->record;
    const std::string key = any.replicate_id.value_or(any.contract_id);
    if (!groups.contains(key)) order.push_back(key);
    groups[key].push_back(std::move(replicates));
  }
  std::vector<ReplicateGroup> ordered;
  for (const std::string& key : order) ordered.push_back(std::move(groups.at(key)));
  return ordered;
}

/// Returns a point for each epoch that has a finite value, which a training that diverged has not.
std::vector<ChartPoint> curve_of(const RunResults& results, const Replicates& replicates, const EpochsByCase& epochs,
                                 const LearningMeasure& measure, const LearningAxes& over) {
  struct OfEpoch {
    Replicates cases;
    std::vector<ChartValue> values;
    double x = 0, seconds = 0;  ///< sums
  };
  std::map<std::int64_t, OfEpoch> by_epoch;
  for (const CaseRow* row : replicates) {
    const auto found = epochs.find(row->record.case_id);
    if (found == epochs.end()) continue;
    for (const EpochRecord* epoch : found->second) {
      if (!std::isfinite(epoch->*measure.value)) continue;
      OfEpoch& to = by_epoch[epoch->epoch];
      to.cases.push_back(row);
      to.values.push_back({epoch->*measure.value, {}, {}});
      to.x += over.x(*epoch);
      to.seconds += epoch->elapsed_seconds;
    }
  }
  std::vector<ChartPoint> points;
  for (const auto& [number, of] : by_epoch) {
    const auto count = static_cast<double>(of.cases.size());
    const ChartValue y = over_seeds(of.values, Scale::linear);
    const std::string name = of.cases.size() == 1 ? of.cases.front()->record.case_id : describe_replicates(of.cases);
    std::string tooltip = fmt::format("{}, epoch {}: {}", name, number, significant(y.value, 4));
    if (y.low && y.high) tooltip += fmt::format(" [{}, {}]", significant(*y.low, 4), significant(*y.high, 4));
    const double seconds = of.seconds / count;
    tooltip += fmt::format(" after {}", quantity(seconds, time_unit(seconds), 3));
    points.push_back({of.x / count, y.value, y.low, y.high, std::move(tooltip), !are_ranked(results, of.cases)});
  }
  return points;
}

/// Returns the curves of cases whose contracts differ at most in the seed.
LineChart learning_chart(const RunResults& results, const ReplicateGroup& group, const EpochsByCase& epochs,
                         const LearningMeasure& measure, const LearningAxes& over) {
  const Looks looks = looks_of(results);
  const CaseRecord& any = group.front().front()->record;
  LineChart chart{fmt::format("{} against {}", measure.title, over.name),
                  "One line for each case, with a mark at each epoch.",
                  {},
                  {},
                  {},
                  {}};
  if (const std::string facet = replicates_facet(results, any); !facet.empty()) chart.title += ": " + facet;
  std::vector<double> xs, ys;
  for (const Replicates& replicates : group) {
    const std::string& strategy = replicates.front()->record.strategy;
    ChartLine line{strategy, looks.of(strategy), curve_of(results, replicates, epochs, measure, over)};
    for (const ChartPoint& point : line.points) {
      xs.push_back(point.x);
      ys.insert(ys.end(), {point.y, point.low.value_or(point.y), point.high.value_or(point.y)});
    }
    if (!line.points.empty()) chart.lines.push_back(std::move(line));
  }
  if (chart.lines.empty()) return chart;
  if (const auto target = target_of(results, measure)) {
    ys.push_back(*target);
    chart.guides.push_back({fmt::format("target: {} {:g}", measure.target, *target),
                            {{0, *target}, {*std::max_element(xs.begin(), xs.end()), *target}}});
  }
  chart.x = axis_from_zero(over.title, over.unit, *std::max_element(xs.begin(), xs.end()));
  if (over.unit.name.empty()) std::erase_if(chart.x.ticks, [](double tick) { return tick != std::round(tick); });
  chart.y =
      axis_between(measure.title, {}, *std::min_element(ys.begin(), ys.end()), *std::max_element(ys.begin(), ys.end()));
  return chart;
}

/// Returns what the run can be judged by: the accuracy unless it is a text's, and the loss of a text or where the
/// target names it.
std::vector<LearningMeasure> learning_measures(const RunResults& results) {
  const auto& epochs = results.records.epochs;
  const bool is_text =
      std::any_of(epochs.begin(), epochs.end(), [](const EpochRecord& epoch) { return epoch.perplexity.has_value(); });
  std::vector<LearningMeasure> measures;
  if (!is_text || target_of(results, accuracy_measure)) measures.push_back(accuracy_measure);
  if (is_text || target_of(results, loss_measure)) measures.push_back(loss_measure);
  return measures;
}

}  // namespace

Html learning_section(const RunResults& results) {
  const EpochsByCase epochs = epochs_by_case(results.records);
  const bool curves = std::any_of(epochs.begin(), epochs.end(), [](const auto& one) { return one.second.size() > 1; });
  if (epochs.empty()) return {};
  if (!curves) {
    return element(
        "p",
        html_text("No case trained more than one epoch, so there is no curve. The table has the result of the epoch."));
  }
  double longest = 0;
  for (const EpochRecord& epoch : results.records.epochs) longest = std::max(longest, epoch.elapsed_seconds);
  const LearningAxes over_time{"time", [](const EpochRecord& epoch) { return epoch.elapsed_seconds; },
                               time_unit(longest), "Time"};
  const LearningAxes over_epochs{
      "epochs", [](const EpochRecord& epoch) { return static_cast<double>(epoch.epoch); }, {}, "Epochs"};
  Html html;
  for (const ReplicateGroup& group : groups_of(results)) {
    for (const LearningMeasure& measure : learning_measures(results)) {
      const LineChart by_time = learning_chart(results, group, epochs, measure, over_time);
      const LineChart by_epochs = learning_chart(results, group, epochs, measure, over_epochs);
      if (by_time.lines.empty()) continue;
      html += element("div", {{"class", "charts"}}, draw(by_time) + draw(by_epochs)) + legend_of(by_time);
    }
  }
  if (html.empty()) return {};
  return html +
         element("p", {{"class", "key"}},
                 html_text("Time counts from the start of training, with validations. Cases that differ in the seed "
                           "alone are one line: the estimate over the seeds, with its 95 % interval."));
}

}  // namespace ddlbench::bench
