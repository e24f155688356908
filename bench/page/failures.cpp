#include <fmt/core.h>

#include "bench/page/data_table.h"
#include "bench/page/sections.h"

namespace ddlbench::bench {
namespace {

/// Returns what is wrong with a case; empty if nothing is.
std::string failure_text(const CaseRecord& record) {
  if (record.status != Status::ok || is_unexpected(record)) {
    const std::string status(name(record.status));
    return status == record.expect ? status + ", as expected" : status;
  }
  if (certificate_failed(record))
    return certificate_proves_nothing(*record.measurement) ? "certificate proves nothing" : "certificate failed";
  if (record.measurement && record.measurement->trace_failure) return "no trace";
  return "";
}

std::string failure_reason(const CaseRecord& record) {
  if (!record.status_reason.empty() || !record.measurement) return record.status_reason;
  if (certificate_failed(record)) return record.measurement->certificate_reason;
  return record.measurement->trace_failure.value_or("");
}

}  // namespace

Html failures_section(const RunResults& results) {
  std::vector<TableRow> rows;
  for (const CaseRow& row : results.rows) {
    const CaseRecord& record = row.record;
    if (const std::string what = failure_text(record); !what.empty())
      rows.push_back({{{record.case_id}, {record.strategy}, {what}, {failure_reason(record)}}});
  }
  for (const std::string& case_id : unfinished(results.records))
    rows.push_back({{{case_id}, {""}, {"no result"}, {"the run ended while the case ran, or it is still running"}}});
  if (rows.empty())
    return results.rows.empty() ? Html()
                                : element("p", html_text("None: all cases ended well, and no certificate failed."));
  return data_table("Cases that have no complete result",
                    {{"Case"}, {"Strategy"}, {"Status"}, {"Reason", "", TableColumn::Kind::text}}, rows);
}

}  // namespace ddlbench::bench
