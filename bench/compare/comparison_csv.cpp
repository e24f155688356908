#include "bench/compare/comparison_csv.h"

#include <cmath>

#include "bench/page/run_results.h"
#include "bench/records/csv.h"

namespace ddlbench::bench {
namespace {

const CaseRecord& either(const ComparedCase& row) {
  return row.cases.new_case ? *row.cases.new_case : *row.cases.old_case;
}

/// Returns the cell of a case, or an empty one if there is no such case.
std::string of_case(const CaseRecord* record, std::string (*cell_of)(const CaseRecord&)) {
  return record ? cell_of(*record) : "";
}

std::string case_id(const CaseRecord& record) {
  return record.case_id;
}

std::string step_seconds(const CaseRecord& record) {
  const Measurement* measured = timed_measurement(record);
  return measured ? cell(measured->step_seconds) : "";
}

std::string rounds(const CaseRecord& record) {
  const Measurement* measured = timed_measurement(record);
  return measured ? cell(measured->rounds) : "";
}

std::string memory(const CaseRecord& record) {
  const Measurement* measured = timed_measurement(record);
  return measured ? cell(measured->peak_memory_bytes) : "";
}

std::string accuracy(const CaseRecord& record) {
  return has_trained(record) ? cell(record.measurement->final_accuracy_ratio) : "";
}

std::string of_ratio(const ComparedCase& row, double Interval::*part) {
  return row.times ? cell(row.ratio().*part) : "";
}

const std::vector<Column<ComparedCase>>& columns() {
  using Row = ComparedCase;
  static const std::vector<Column<Row>> all{
      {"old_case_id", [](const Row& row) { return of_case(row.cases.old_case, case_id); }},
      {"new_case_id", [](const Row& row) { return of_case(row.cases.new_case, case_id); }},
      {"contract_id", [](const Row& row) { return either(row).contract_id; }},
      {"strategy", [](const Row& row) { return either(row).strategy; }},
      {"ranks", [](const Row& row) { return cell(either(row).ranks); }},
      {"threads_per_rank", [](const Row& row) { return cell(either(row).threads_per_rank); }},
      {"transport", [](const Row& row) { return either(row).transport; }},
      {"device", [](const Row& row) { return either(row).device; }},
      {"old_step_seconds", [](const Row& row) { return of_case(row.cases.old_case, step_seconds); }},
      {"new_step_seconds", [](const Row& row) { return of_case(row.cases.new_case, step_seconds); }},
      {"step_ratio", [](const Row& row) { return of_ratio(row, &Interval::value); }},
      {"step_low_ratio", [](const Row& row) { return of_ratio(row, &Interval::low); }},
      {"step_high_ratio", [](const Row& row) { return of_ratio(row, &Interval::high); }},
      {"claim_ratio",
       [](const Row& row) { return row.times && !row.without_rounds ? cell(std::exp(row.margins.claim)) : ""; }},
      {"p_value", [](const Row& row) { return row.times && !row.without_rounds ? cell(row.adjusted_p) : ""; }},
      {"verdict", [](const Row& row) { return std::string(name(row.verdict)); }},
      {"reason", [](const Row& row) { return row.cases.why; }},
      {"old_rounds", [](const Row& row) { return of_case(row.cases.old_case, rounds); }},
      {"new_rounds", [](const Row& row) { return of_case(row.cases.new_case, rounds); }},
      {"old_peak_memory_bytes", [](const Row& row) { return of_case(row.cases.old_case, memory); }},
      {"new_peak_memory_bytes", [](const Row& row) { return of_case(row.cases.new_case, memory); }},
      {"old_final_accuracy_ratio", [](const Row& row) { return of_case(row.cases.old_case, accuracy); }},
      {"new_final_accuracy_ratio", [](const Row& row) { return of_case(row.cases.new_case, accuracy); }}};
  return all;
}

}  // namespace

std::string comparison_csv(const std::vector<ComparedCase>& cases) {
  return csv_table(columns(), cases);
}

}  // namespace ddlbench::bench
