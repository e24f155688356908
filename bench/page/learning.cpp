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

/// Returns the curves of the cases of a contract.
LineChart learning_chart(const RunResults& results, const Ranking& contract, const EpochsByCase& epochs,
                         const LearningMeasure& measure, const LearningAxes& over) {
  const Looks looks = looks_of(results);
  LineChart chart{fmt::format("{} against {}", measure.title, over.name),
                  "One line for each case, with a mark at each epoch.",
                  {},
                  {},
                  {},
                  {}};
  if (const std::string facet = contract_facet(results, any_case(contract)); !facet.empty())
    chart.title += ": " + facet;
  std::vector<double> xs, ys;
  for (const CaseRow& row : results.rows) {
    const auto found = epochs.find(row.record.case_id);
    if (found == epochs.end() || row.record.contract_id != contract.contract_id) continue;
    ChartLine line{row.record.strategy, looks.of(row.record.strategy), {}};
    for (const EpochRecord* epoch : found->second) {
      const double x = over.x(*epoch), y = epoch->*measure.value;
      if (!std::isfinite(y)) continue;  // a training that diverged
      xs.push_back(x);
      ys.push_back(y);
      line.points.push_back(
          {x,
           y,
           {},
           {},
           fmt::format("{}, epoch {}: {} after {}", row.record.case_id, epoch->epoch, significant(y, 4),
                       quantity(epoch->elapsed_seconds, time_unit(epoch->elapsed_seconds), 3)),
           !results.is_ranked(row.record)});
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
  for (const Ranking& contract : results.rankings) {
    for (const LearningMeasure& measure : learning_measures(results)) {
      const LineChart by_time = learning_chart(results, contract, epochs, measure, over_time);
      const LineChart by_epochs = learning_chart(results, contract, epochs, measure, over_epochs);
      if (by_time.lines.empty()) continue;
      html += element("div", {{"class", "charts"}}, draw(by_time) + draw(by_epochs)) + legend_of(by_time);
    }
  }
  if (html.empty()) return {};
  return html +
         element("p", {{"class", "key"}}, html_text("Time counts from the start of training, with validations."));
}

}  // namespace ddlbench::bench
