#include "bench/report/table.h"

#include <fmt/core.h>
#include <algorithm>
#include <functional>

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

/// Returns "certificate", with the number of steps that it covers if all cases have the same.
std::string certificate_header(const std::vector<RankedCase>& cases) {
  const auto steps = cases.front().record.measurement->certificate_steps;
  const bool alike = std::all_of(cases.begin(), cases.end(), [&](const RankedCase& entry) {
    return entry.record.measurement->certificate_steps == steps;
  });
  return steps && alike ? fmt::format("certificate, {} steps", *steps) : "certificate";
}

/// Returns "1.09 [1.08, 1.10]"; without an interval for the baseline itself.
std::string speedup_of(const RankedCase& entry) {
  const Comparison& comparison = entry.comparison;
  if (!comparison.speedup_ratio) return "";
  std::string text = format_ratio(*comparison.speedup_ratio);
  if (comparison.verdict) {
    text += fmt::format(" [{}, {}]", format_ratio(*comparison.speedup_low_ratio),
                        format_ratio(*comparison.speedup_high_ratio));
  }
  return text;
}

/// One column of a table of ranked cases.
struct Column {
  Grid::Align align;
  std::string header;
  std::function<std::string(const RankedCase&)> cell;
};

double largest(const std::vector<RankedCase>& cases, const auto& seconds_of) {
  double result = 0;
  for (const RankedCase& entry : cases) result = std::max(result, seconds_of(*entry.record.measurement));
  return result;
}

/// Returns whether two cases share a letter.
bool any_tie(const std::vector<RankedCase>& cases) {
  std::string seen;
  for (const RankedCase& entry : cases) {
    if (entry.letters.find_first_of(seen) != std::string::npos) return true;
    seen += entry.letters;
  }
  return false;
}

std::vector<Column> columns_of(const std::vector<RankedCase>& cases) {
  const TimeUnit unit(largest(cases, [](const Measurement& m) { return m.step_seconds; }));
  const bool ties = any_tie(cases);
  std::vector<Column> columns{
      {left, "#", [ties](const RankedCase& entry) { return std::to_string(entry.rank) + (ties ? entry.letters : ""); }},
      {left, "case", [](const RankedCase& entry) { return entry.record.case_id; }},
      {left, "strategy", [](const RankedCase& entry) { return entry.record.strategy; }},
      {left, "settings", [](const RankedCase& entry) { return entry.record.settings.value_or(""); }},
      {right, "ranks×threads", [](const RankedCase& entry) { return ranks_and_threads(entry.record); }},
      {right, fmt::format("step, {} [95 %]", unit.name()),
       [unit](const RankedCase& entry) {
         const Measurement& m = *entry.record.measurement;
         return unit.format_interval(m.step_seconds, m.step_seconds_low, m.step_seconds_high);
       }},
      {right, fmt::format("predicted, {}", unit.name()),
       [unit](const RankedCase& entry) {
         const auto& prediction = entry.record.measurement->prediction;
         return prediction ? unit.format(prediction->step_seconds) : "";
       }},
      {right, "speedup [95 %]", speedup_of},
      {right, "MiB per rank, max",
       [](const RankedCase& entry) {
         return fmt::format("{:.2f}", static_cast<double>(entry.record.measurement->peak_memory_bytes) / (1 << 20));
       }},
      {right, "accuracy",
       [](const RankedCase& entry) {
         return has_trained(entry.record) ? fmt::format("{:.4f}", entry.record.measurement->final_accuracy_ratio) : "";
       }},
      {left, certificate_header(cases),
       [](const RankedCase& entry) { return certificate(*entry.record.measurement); }}};
  // A column without content is left out.
  std::erase_if(columns, [&](const Column& column) {
    return std::all_of(cases.begin(), cases.end(), [&](const RankedCase& entry) { return column.cell(entry).empty(); });
  });
  return columns;
}

std::string ranked_table(const Ranking& ranking) {
  const std::vector<Column> columns = columns_of(ranking.ranked);
  const auto row = [&](const auto& text_of) {
    std::vector<std::string> cells;
    for (const Column& column : columns) cells.push_back(text_of(column));
    return cells;
  };
  std::vector<Grid::Align> aligned;
  for (const Column& column : columns) aligned.push_back(column.align);
  Grid grid(aligned);
  grid.add(row([](const Column& column) { return column.header; }));
  for (const RankedCase& entry : ranking.ranked)
    grid.add(row([&](const Column& column) { return column.cell(entry); }));
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
