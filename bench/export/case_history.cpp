#include "bench/export/case_history.h"

#include <algorithm>
#include <map>
#include <string>

#include "bench/records/environment.h"

namespace ddlbench::bench {

std::vector<CaseHistory> histories_of(const Records& records) {
  std::map<std::string, double> begins, durations;
  for (const StartedCase& started : records.started)
    begins[started.case_id] = static_cast<double>(seconds_of_utc(started.time_utc));
  for (const UtilisationRecord& sample : records.utilisation) durations[sample.case_id] = sample.elapsed_seconds;
  std::map<std::string, std::vector<std::size_t>> epochs;
  for (std::size_t row = 0; row < records.epochs.size(); ++row) epochs[records.epochs[row].case_id].push_back(row);

  std::vector<CaseHistory> histories;
  for (std::size_t row = 0; row < records.cases.size(); ++row) {
    const std::string& case_id = records.cases[row].case_id;
    if (!epochs.contains(case_id) || !begins.contains(case_id)) continue;
    const double trained = records.epochs[epochs[case_id].back()].elapsed_seconds;
    CaseHistory history{row, begins[case_id], begins[case_id] + std::max(durations[case_id], trained), {}};
    for (const std::size_t at : epochs[case_id]) {
      const EpochRecord& epoch = records.epochs[at];
      const double end = history.end_seconds - (trained - epoch.elapsed_seconds);
      const double validated = end - epoch.validation_seconds;
      history.epochs.push_back({at, validated - epoch.epoch_seconds, validated, end});
    }
    histories.push_back(std::move(history));
  }
  return histories;
}

}  // namespace ddlbench::bench
