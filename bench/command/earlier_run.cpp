#include "bench/command/earlier_run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "bench/records/file.h"
#include "bench/records/store.h"
#include "bench/records/work.h"
#include "json/parse.h"
#include "platform/host_name.h"

namespace ddlbench::bench {
namespace {

namespace fs = std::filesystem;

Work work_of(const Experiment& experiment, const Case& which) {
  const auto variant = static_cast<std::size_t>(which.variant);
  const bool listed = variant < experiment.variants.size();
  const Devices& devices = listed ? experiment.variants[variant].devices : experiment.devices;
  return {which.contract_id,      which.strategy.label,       which.ranks,
          which.threads_per_rank, devices.transport_choice(), experiment.devices.kind};
}

/// Returns the folders of the experiment, the latest first: their names end in a time.
std::vector<std::string> folders_of(const std::string& name, const std::string& results) {
  std::vector<std::string> folders;
  std::error_code error;
  for (fs::directory_iterator entry(results, error); !error && entry != fs::directory_iterator();
       entry.increment(error))
    if (entry->path().filename().string().starts_with(name + "-")) folders.push_back(entry->path().string());
  std::sort(folders.rbegin(), folders.rend());
  return folders;
}

/// Returns the time that each case's processes ran. A process counts from 0, so a time that is less than the one before
/// it begins another process of the case.
std::map<std::string, double> seconds_by_case(const std::vector<UtilisationRecord>& samples) {
  std::map<std::string, double> total, last;
  for (const UtilisationRecord& sample : samples) {
    double& before = last[sample.case_id];
    total[sample.case_id] +=
        sample.elapsed_seconds >= before ? sample.elapsed_seconds - before : sample.elapsed_seconds;
    before = sample.elapsed_seconds;
  }
  return total;
}

std::optional<double> seconds_in(const std::string& folder, const Experiment& experiment,
                                 const std::vector<Case>& cases) {
  const auto written = json::parse_whole(read_file(folder + "/config.json"));
  const auto wanted = json::parse_whole(experiment.resolved);
  if (written.at("measure") != wanted.at("measure")) return std::nullopt;
  const Records records = read_records(folder);
  auto seconds = seconds_by_case(records.utilisation);
  for (const VisitRecord& visit : records.visits) seconds[visit.case_id] += visit.duration_seconds;
  std::map<Work, double> known;
  for (const CaseRecord& record : records.cases) {
    const bool whole = record.status == Status::ok && record.measurement && record.measurement->repetitions > 0;
    if (whole && record.host == platform::host_name() && seconds.contains(record.case_id))
      known[work_of(record)] = seconds.at(record.case_id);
  }
  double sum = 0;
  for (const Case& which : cases) {
    const auto found = known.find(work_of(experiment, which));
    if (found == known.end()) return std::nullopt;
    sum += found->second;
  }
  return sum;
}

}  // namespace

std::optional<EarlierRun> find_earlier_run(const Experiment& experiment, const std::vector<Case>& cases,
                                           const std::string& results) {
  if (experiment.derived.certificates_only) return std::nullopt;
  constexpr int most_read = 5;  // a journal may be large
  int read = 0;
  for (const std::string& folder : folders_of(experiment.name, results)) {
    if (++read > most_read) break;
    try {
      if (const auto seconds = seconds_in(folder, experiment, cases)) return EarlierRun{folder, *seconds};
    } catch (const InputError&) {
      continue;
    } catch (const nlohmann::json::exception&) {
      continue;
    }
  }
  return std::nullopt;
}

}  // namespace ddlbench::bench
