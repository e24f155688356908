#include <fmt/core.h>
#include <algorithm>
#include <functional>
#include <optional>

#include "bench/page/data_table.h"
#include "bench/page/quantity.h"
#include "bench/page/sections.h"
#include "bench/records/csv.h"

namespace ddlbench::bench {
namespace {

constexpr int time_digits = 4, other_digits = 3;

/// A row of the table: a case with what its contract and its standing say.
struct CaseEntry {
  const CaseRow& row;
  const Standing& standing;
};

struct CaseColumn {
  TableColumn column;
  std::function<TableCell(const CaseEntry&)> cell;
};

using OptionalNumber = std::function<std::optional<double>(const CaseRow&)>;

std::optional<double> with_steps(const CaseRow& row, double Measurement::*member) {
  const Measurement* measured = timed_measurement(row.record);
  if (measured == nullptr) return std::nullopt;
  return measured->*member;
}

std::optional<double> with_training(const CaseRow& row, double Measurement::*member) {
  if (!has_trained(row.record)) return std::nullopt;
  return *row.record.measurement.*member;
}

std::vector<double> values_of(const RunResults& results, const OptionalNumber& number) {
  std::vector<double> values;
  for (const CaseRow& row : results.rows) {
    if (const auto value = number(row)) values.push_back(*value);
  }
  return values;
}

std::string with_unit(const std::string& title, const DisplayUnit& unit) {
  return unit.name.empty() ? title : fmt::format("{} ({})", title, unit.name);
}

CaseColumn text_column(const std::string& title, const std::string& column,
                       std::function<std::string(const CaseEntry&)> text) {
  return {{title, column}, [text = std::move(text)](const CaseEntry& entry) { return TableCell{text(entry)}; }};
}

/// Returns a column of numbers, whose cells in cases.csv are those numbers.
CaseColumn number_column(const std::string& title, const std::string& column, const DisplayUnit& unit, int digits,
                         OptionalNumber number) {
  return {{with_unit(title, unit), column, TableColumn::Kind::number}, [=](const CaseEntry& entry) {
            const auto value = number(entry.row);
            return value ? TableCell{in_unit(*value, unit, digits), cell(*value)} : TableCell{};
          }};
}

/// Does the same for a column that is left out if no case has a number.
void add_number_column(std::vector<CaseColumn>& columns, const RunResults& results, CaseColumn column,
                       const OptionalNumber& number) {
  if (!values_of(results, number).empty()) columns.push_back(std::move(column));
}

std::string certificate_text(const CaseRecord& record) {
  if (!record.measurement || !record.measurement->certificate_update) return "";
  const Measurement& measured = *record.measurement;
  if (certificate_proves_nothing(measured)) return "proves nothing";
  return measured.certified ? fmt::format("holds, {:.1e}", *measured.certificate_update) : "fails";
}

void add_identity(std::vector<CaseColumn>& columns, const RunResults& results) {
  columns.push_back(text_column("Case", "case_id", [](const CaseEntry& e) { return e.row.record.case_id; }));
  columns.push_back({{"Place", "", TableColumn::Kind::number}, [](const CaseEntry& e) {
                       const Standing& standing = e.standing;
                       if (standing.rank == 0) return TableCell{};
                       const std::string place = std::to_string(standing.rank);
                       return TableCell{place + standing.letters, place};
                     }});
  columns.push_back({{"Strategy", "strategy", TableColumn::Kind::text},
                     [](const CaseEntry& e) { return TableCell{e.row.record.strategy}; }});
  columns.push_back(
      text_column("Ranks × threads", "", [](const CaseEntry& e) { return ranks_and_threads(e.row.record); }));
  if (results.rankings.size() > 1) {
    columns.push_back(text_column("Contract", "contract_id",
                                  [](const CaseEntry& e) { return e.row.record.contract_id.substr(0, 6); }));
    columns.push_back({{"Batch", "global_batch", TableColumn::Kind::number},
                       [](const CaseEntry& e) { return TableCell{std::to_string(e.row.record.global_batch)}; }});
  }
}

/// The comparisons with the baseline.
void add_verdicts(std::vector<CaseColumn>& columns, const RunResults& results) {
  const bool any = std::any_of(results.rows.begin(), results.rows.end(),
                               [](const CaseRow& row) { return row.comparison.verdict.has_value(); });
  if (!any) return;
  columns.push_back(
      {{"Speedup, 95 % interval", "speedup_low_ratio", TableColumn::Kind::number}, [](const CaseEntry& e) {
         const Comparison& comparison = e.row.comparison;
         if (!comparison.verdict || !comparison.speedup_low_ratio) return TableCell{};
         return TableCell{fmt::format("[{}, {}]", significant(*comparison.speedup_low_ratio, other_digits),
                                      significant(*comparison.speedup_high_ratio, other_digits)),
                          cell(*comparison.speedup_low_ratio)};
       }});
  columns.push_back(
      text_column("Verdict", "verdict", [](const CaseEntry& e) { return e.row.comparison.verdict.value_or(""); }));
}

void add_times(std::vector<CaseColumn>& columns, const RunResults& results) {
  const OptionalNumber step = [](const CaseRow& row) { return with_steps(row, &Measurement::step_seconds); };
  const OptionalNumber predicted = [](const CaseRow& row) -> std::optional<double> {
    if (!row.record.measurement || !row.record.measurement->prediction) return std::nullopt;
    return row.record.measurement->prediction->step_seconds;
  };
  const OptionalNumber epoch = [](const CaseRow& row) { return with_training(row, &Measurement::epoch_seconds); };
  const OptionalNumber target = [](const CaseRow& row) { return row.record.seconds_to_target; };
  const DisplayUnit unit = time_unit(typical(values_of(results, step)));
  const DisplayUnit epoch_unit = time_unit(typical(values_of(results, epoch)));
  const DisplayUnit target_unit = time_unit(typical(values_of(results, target)));
  add_number_column(columns, results, number_column("Step time", "step_seconds", unit, time_digits, step), step);
  if (!values_of(results, step).empty()) {
    columns.push_back(
        {{with_unit("95 % interval", unit), "step_seconds_low", TableColumn::Kind::number}, [unit](const CaseEntry& e) {
           const Measurement* measured = timed_measurement(e.row.record);
           if (measured == nullptr) return TableCell{};
           return TableCell{fmt::format("[{}, {}]", in_unit(measured->step_seconds_low, unit, time_digits),
                                        in_unit(measured->step_seconds_high, unit, time_digits)),
                            cell(measured->step_seconds_low)};
         }});
  }
  add_number_column(columns, results,
                    number_column("Predicted", "predicted_step_seconds", unit, time_digits, predicted), predicted);
  const OptionalNumber speedup = [](const CaseRow& row) { return row.comparison.speedup_ratio; };
  add_number_column(columns, results, number_column("Speedup", "speedup_ratio", {}, other_digits, speedup), speedup);
  add_verdicts(columns, results);
  add_number_column(columns, results, number_column("Epoch", "epoch_seconds", epoch_unit, time_digits, epoch), epoch);
  add_number_column(columns, results, number_column("To target", "seconds_to_target", target_unit, time_digits, target),
                    target);
}

void add_memory_and_learning(std::vector<CaseColumn>& columns, const RunResults& results) {
  const OptionalNumber memory = [](const CaseRow& row) -> std::optional<double> {
    const Measurement* measured = timed_measurement(row.record);
    if (measured == nullptr) return std::nullopt;
    return static_cast<double>(measured->peak_memory_bytes);
  };
  const DisplayUnit unit = byte_unit(typical(values_of(results, memory)));
  if (!values_of(results, memory).empty()) {
    columns.push_back({{with_unit("Memory per rank, maximum", unit), "peak_memory_bytes", TableColumn::Kind::number},
                       [=](const CaseEntry& e) {
                         const Measurement* measured = timed_measurement(e.row.record);
                         if (measured == nullptr) return TableCell{};
                         const std::int64_t bytes = measured->peak_memory_bytes;
                         return TableCell{in_unit(static_cast<double>(bytes), unit, other_digits), cell(bytes)};
                       }});
  }
  const OptionalNumber accuracy = [](const CaseRow& row) {
    return with_training(row, &Measurement::final_accuracy_ratio);
  };
  const OptionalNumber perplexity = [](const CaseRow& row) -> std::optional<double> {
    return row.record.measurement ? row.record.measurement->final_perplexity : std::nullopt;
  };
  add_number_column(columns, results, number_column("Accuracy", "final_accuracy_ratio", {}, time_digits, accuracy),
                    accuracy);
  add_number_column(columns, results, number_column("Perplexity", "final_perplexity", {}, time_digits, perplexity),
                    perplexity);
}

std::vector<CaseColumn> case_columns(const RunResults& results) {
  std::vector<CaseColumn> columns;
  add_identity(columns, results);
  add_times(columns, results);
  add_memory_and_learning(columns, results);
  columns.push_back(text_column("Certificate", "", [](const CaseEntry& e) { return certificate_text(e.row.record); }));
  const bool all_placed = std::all_of(results.rows.begin(), results.rows.end(),
                                      [&](const CaseRow& row) { return results.is_ranked(row.record); });
  if (!all_placed) {
    columns.push_back({{"Why it has no place", "", TableColumn::Kind::text},
                       [](const CaseEntry& e) { return TableCell{e.standing.why}; }});
  }
  return columns;
}

/// Returns the rows in the order of the rankings: of each contract the ranked cases, then the others.
std::vector<const CaseRow*> in_order(const RunResults& results) {
  std::map<std::string, const CaseRow*> by_id;
  for (const CaseRow& row : results.rows) by_id[row.record.case_id] = &row;
  std::vector<const CaseRow*> order;
  for (const Ranking& ranking : results.rankings) {
    for (const RankedCase& one : ranking.ranked) order.push_back(by_id.at(one.record.case_id));
    for (const UnrankedCase& one : ranking.unranked) order.push_back(by_id.at(one.record.case_id));
  }
  return order;
}

}  // namespace

Html table_section(const RunResults& results) {
  if (results.rows.empty()) return {};
  const std::vector<CaseColumn> columns = case_columns(results);
  std::vector<TableColumn> header;
  for (const CaseColumn& column : columns) header.push_back(column.column);
  std::vector<TableRow> rows;
  for (const CaseRow* row : in_order(results)) {
    const CaseEntry entry{*row, results.standings.at(row->record.case_id)};
    TableRow& cells = rows.emplace_back();
    cells.quiet = entry.standing.rank == 0;
    for (const CaseColumn& column : columns) cells.cells.push_back(column.cell(entry));
  }
  Html html;
  if (results.rankings.size() > 1) {
    for (const Ranking& ranking : results.rankings) {
      html += element("li", html_text(fmt::format("{}: {}", ranking.contract_id.substr(0, 6),
                                                  describe_contract(any_case(ranking)))));
    }
    html = element("p", html_text("Cases of different contracts train differently and are not compared:")) +
           element("ul", html);
  }
  return html + data_table("All cases. Cases in grey have no place in the ranking.", header, rows);
}

}  // namespace ddlbench::bench
