#include "bench/report/table.h"

#include <fmt/core.h>
#include <algorithm>

#include "base/units.h"
#include "bench/report/grid.h"

namespace ddlbench::bench {

namespace {

using enum Grid::Align;

/// Returns "holds 3.1e-07": the deviation of the whole update, the strictest of the three.
std::string certificate(const Measurement& measured) {
  return measured.certificate_update ? fmt::format("holds {:.1e}", *measured.certificate_update) : "holds";
}

/// Returns the result of the comparison with the one-rank reference; empty if there was none.
std::string certificate_of(const CaseRecord& record) {
  if (!record.measurement || !record.measurement->certificate_update) return "";
  if (record.measurement->certified) return certificate(*record.measurement);
  return certificate_proves_nothing(*record.measurement) ? "proves nothing" : "fails";
}

bool any_prediction(const std::vector<RankedCase>& cases) {
  return std::any_of(cases.begin(), cases.end(),
                     [](const RankedCase& entry) { return entry.record.measurement->prediction.has_value(); });
}

std::string ranked_table(const Ranking& ranking) {
  const bool predicted = any_prediction(ranking.ranked);
  std::vector<Grid::Align> columns{right, left, left, right, right, right, right, right, left};
  std::vector<std::string> header{"#",       "case",   "strategy", "ranks×threads", "step time",
                                  "speedup", "memory", "accuracy", "certificate"};
  if (predicted) {
    columns.insert(columns.begin() + 5, right);
    header.insert(header.begin() + 5, "predicted");
  }
  Grid grid(columns);
  grid.add(header);
  for (const RankedCase& entry : ranking.ranked) {
    const Measurement& measured = *entry.record.measurement;
    std::vector<std::string> cells{
        std::to_string(entry.rank),
        entry.record.case_id,
        entry.record.strategy,
        ranks_and_threads(entry.record),
        format_interval(measured.step_seconds, measured.step_seconds_low, measured.step_seconds_high),
        entry.comparison.speedup_ratio ? format_ratio(*entry.comparison.speedup_ratio) : "",
        format_bytes(measured.peak_memory_bytes),
        fmt::format("{:.4f}", measured.final_accuracy_ratio),
        certificate(measured)};
    if (predicted) {
      const auto& prediction = measured.prediction;
      cells.insert(cells.begin() + 5, prediction ? format_seconds(prediction->step_seconds) : "");
    }
    grid.add(cells);
  }
  return grid.text(2);
}

/// Returns the cases that are not ranked, with what was measured of them, and why they are not.
std::string unranked_table(const Ranking& ranking) {
  Grid grid({left, left, right, right, left, left});
  for (const UnrankedCase& entry : ranking.unranked) {
    const auto& measured = entry.record.measurement;
    const bool timed = measured && measured->repetitions > 0;
    grid.add(
        {entry.record.case_id, entry.record.strategy, ranks_and_threads(entry.record),
         timed ? format_interval(measured->step_seconds, measured->step_seconds_low, measured->step_seconds_high) : "",
         certificate_of(entry.record), entry.why});
  }
  return grid.text(2);
}

}  // namespace

std::string format_table(const std::vector<Ranking>& rankings) {
  std::string text;
  for (const Ranking& ranking : rankings) {
    const CaseRecord& any = ranking.ranked.empty() ? ranking.unranked.front().record : ranking.ranked.front().record;
    if (!text.empty()) text += '\n';
    text += fmt::format("{} (contract {})\n", describe_contract(any), ranking.contract_id);
    if (!ranking.ranked.empty()) text += ranked_table(ranking);
    if (!ranking.unranked.empty()) text += "not ranked:\n" + unranked_table(ranking);
  }
  return text;
}

}  // namespace ddlbench::bench
