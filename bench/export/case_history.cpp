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
  std::map<std::string, std::vector<std::size_t>> epochs, validations;
  for (std::size_t row = 0; row < records.epochs.size(); ++row) {
    const EpochRecord& epoch = records.epochs[row];
    last[epoch.case_id] = epoch.elapsed_seconds;
    epochs[epoch.case_id].push_back(row);
  }
  for (std::size_t row = 0; row < records.validations.size(); ++row) {
    const ValidationRecord& validation = records.validations[row];
    last[validation.case_id] = std::max(last[validation.case_id], validation.elapsed_seconds);
    validating[{validation.case_id, validation.epoch}] += validation.validation_seconds;
    validations[validation.case_id].push_back(row);
  }

  std::vector<CaseHistory> histories;
  for (std::size_t row = 0; row < records.cases.size(); ++row) {
    const std::string& case_id = records.cases[row].case_id;
    if (!last.contains(case_id) || !begins.contains(case_id)) continue;
    const auto duration = durations.find(case_id);
    const double end = begins[case_id] + (duration == durations.end() ? last[case_id] : duration->second);
    const double training_begin = end - last[case_id];
    CaseHistory history{row, begins[case_id], std::max(begins[case_id], training_begin), end, {}, {}};
    for (const std::size_t at : epochs[case_id]) {
      const EpochRecord& epoch = records.epochs[at];
      const double epoch_end = training_begin + epoch.elapsed_seconds;
      const double trained = epoch_end - epoch.validation_seconds;
      const double begin = trained - epoch.epoch_seconds - validating[{case_id, epoch.epoch}];
      history.epochs.push_back({at, begin, trained, epoch_end});
    }
    if (!history.epochs.empty()) history.training_seconds = history.epochs.front().begin_seconds;
    for (const std::size_t at : validations[case_id]) {
      const ValidationRecord& validation = records.validations[at];
      const double validation_end = training_begin + validation.elapsed_seconds;
      history.validations.push_back({at, validation_end - validation.validation_seconds, validation_end});
    }
    histories.push_back(std::move(history));
  }
  return histories;
}

}  // namespace ddlbench::bench
