#include <fmt/core.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <map>
#include <optional>
#include <string_view>

#include "base/group_of.h"
#include "bench/page/case_lines.h"
#include "bench/page/line_chart.h"
#include "bench/page/sections.h"
#include "bench/page/svg.h"
#include "bench/report/replicate_key.h"

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

/// An epoch of replicates.
struct EpochPoint {
  double epoch = 0, seconds = 0;  ///< mean time since the training began
  ChartValue value;
  std::string tooltip;
};

struct LearningCurve {
  std::string strategy;
  bool ranked = false;
  std::vector<EpochPoint> points;
};

struct LearningAxes {
  const char* name;
  double EpochPoint::*x;
  DisplayUnit unit;
  std::string title;
};

/// All cases of contracts that differ in the seed alone.
using LearningGroup = std::vector<Replicates>;

std::vector<std::pair<std::string, LearningGroup>> groups_by_contract(const RunResults& results) {
  std::vector<std::pair<std::string, LearningGroup>> groups;
  for (Replicates& replicates : replicates_of(results)) {
    const std::string contract = replicate_key(replicates.front()->record).contract;
    group_of(groups, contract).push_back(std::move(replicates));
  }
  return groups;
}

EpochPoint point_of(const Replicates& replicates, const std::vector<const EpochRecord*>& epochs,
                    const LearningMeasure& measure) {
  EpochPoint point;
  point.epoch = static_cast<double>(epochs.front()->epoch);
  std::vector<ChartValue> values;
  for (const EpochRecord* epoch : epochs) {
    values.push_back({epoch->*measure.value, {}, {}});
    point.seconds += epoch->elapsed_seconds / static_cast<double>(epochs.size());
  }
  point.value = over_seeds(values, Scale::linear);
  const CaseRecord& first = replicates.front()->record;
  point.tooltip =
      fmt::format("{}, epoch {}: {}", replicates.size() == 1 ? first.case_id : describe_replicates(replicates),
                  point.epoch, significant(point.value.value, 4));
  if (point.value.low && point.value.high)
    point.tooltip += fmt::format(" [{}, {}]", significant(*point.value.low, 4), significant(*point.value.high, 4));
  point.tooltip += fmt::format(" after {}", quantity(point.seconds, time_unit(point.seconds), 3));
  return point;
}

/// Returns the curve of the cases that are ok, or of all if none is. It has the epochs in which all of them have a
/// finite value, which a training that diverged has not.
LearningCurve curve_of(const RunResults& results, const Replicates& all, const EpochsByCase& epochs,
                       const LearningMeasure& measure) {
  Replicates trained;
  std::copy_if(all.begin(), all.end(), std::back_inserter(trained),
               [&](const CaseRow* row) { return epochs.contains(row->record.case_id); });
  const Replicates counted = preferred(trained, [](const CaseRow& row) { return row.record.status == Status::ok; });
  std::map<std::int64_t, std::vector<const EpochRecord*>> by_epoch;
  for (const CaseRow* row : counted) {
    for (const EpochRecord* epoch : epochs.at(row->record.case_id)) {
      if (std::isfinite(epoch->*measure.value)) by_epoch[epoch->epoch].push_back(epoch);
    }
  }
  LearningCurve curve{all.front()->record.strategy, any_ranked(results, counted), {}};
  for (const auto& [number, own] : by_epoch) {
    if (own.size() != counted.size()) continue;
    EpochPoint point = point_of(counted, own, measure);
    if (std::isfinite(point.value.value) && std::isfinite(point.seconds)) curve.points.push_back(std::move(point));
  }
  return curve;
}

std::vector<LearningCurve> curves_of(const RunResults& results, const LearningGroup& group, const EpochsByCase& epochs,
                                     const LearningMeasure& measure) {
  std::vector<LearningCurve> curves;
  for (const Replicates& replicates : group) {
    LearningCurve curve = curve_of(results, replicates, epochs, measure);
    if (!curve.points.empty()) curves.push_back(std::move(curve));
  }
  return curves;
}

/// Returns the chart of curves, of which there is at least one.
LineChart learning_chart(const RunResults& results, const std::vector<LearningCurve>& curves, const std::string& facet,
                         const LearningMeasure& measure, const LearningAxes& over) {
  const Looks looks = looks_of(results);
  LineChart chart{fmt::format("{} against {}", measure.title, over.name) + (facet.empty() ? "" : ": " + facet),
                  "One line for each case, with a mark at each epoch. Cases that differ in the seed share a line.",
                  {},
                  {},
                  {},
                  {}};
  std::vector<double> xs, ys;
  for (const LearningCurve& curve : curves) {
    ChartLine& line = chart.lines.emplace_back(ChartLine{curve.strategy, looks.of(curve.strategy), {}});
    for (const EpochPoint& point : curve.points) {
      line.points.push_back(
          {point.*over.x, point.value.value, point.value.low, point.value.high, point.tooltip, !curve.ranked});
      xs.push_back(line.points.back().x);
      ys.push_back(line.points.back().y);
    }
  }
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
  const LearningAxes over_time{"time", &EpochPoint::seconds, time_unit(longest), "Time"};
  const LearningAxes over_epochs{"epochs", &EpochPoint::epoch, {}, "Epochs"};
  Html html;
  for (const auto& [contract, group] : groups_by_contract(results)) {
    const std::string facet = replicates_facet(results, group.front().front()->record);
    for (const LearningMeasure& measure : learning_measures(results)) {
      const std::vector<LearningCurve> curves = curves_of(results, group, epochs, measure);
      if (curves.empty()) continue;
      const LineChart by_time = learning_chart(results, curves, facet, measure, over_time);
      const LineChart by_epochs = learning_chart(results, curves, facet, measure, over_epochs);
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
