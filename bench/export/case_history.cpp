#include "bench/export/case_history.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "bench/records/environment.h"

namespace ddlbench::bench {

std::vector<CaseHistory> histories_of(const Records& records) {
  std::map<std::string, double> begins, durations;
  for (const StartedCase& started : records.started)
    begins[started.case_id] = static_cast<double>(seconds_of_utc(started.time_utc));
  for (const UtilisationRecord& sample : records.utilisation) durations[sample.case_id] = sample.elapsed_seconds;
  std::map<std::string, double> last;                        // elapsed_seconds of each case's last validation
  std::map<std::pair<std::string, int>, double> validating;  // time of the validations within each epoch
  for (const EpochRecord& epoch : records.epochs) last[epoch.case_id] = epoch.elapsed_seconds;
  for (const ValidationRecord& validation : records.validations) {
    last[validation.case_id] = std::max(last[validation.case_id], validation.elapsed_seconds);
    validating[{validation.case_id, validation.epoch}] += validation.validation_seconds;
  }
  std::map<std::string, std::vector<std::size_t>> epochs;
  for (std::size_t row = 0; row < records.epochs.size(); ++row) epochs[records.epochs[row].case_id].push_back(row);

  std::vector<CaseHistory> histories;
  for (std::size_t row = 0; row < records.cases.size(); ++row) {
    const std::string& case_id = records.cases[row].case_id;
    if (!epochs.contains(case_id) || !begins.contains(case_id)) continue;
    const auto duration = durations.find(case_id);
    const double end = begins[case_id] + (duration == durations.end() ? last[case_id] : duration->second);
    CaseHistory history{row, begins[case_id], end, {}};
    for (const std::size_t at : epochs[case_id]) {
      const EpochRecord& epoch = records.epochs[at];
      const double epoch_end = history.end_seconds - (last[case_id] - epoch.elapsed_seconds);
      const double trained = epoch_end - epoch.validation_seconds;
      const double begin = trained - epoch.epoch_seconds - validating[{case_id, epoch.epoch}];
      history.epochs.push_back({at, begin, trained, epoch_end});
    }
    histories.push_back(std::move(history));
  }
  return histories;
}

}  // namespace ddlbench::bench
