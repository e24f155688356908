#include "bench/export/tensorboard.h"

#include <fmt/core.h>
#include <cstdint>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "bench/export/case_history.h"
#include "bench/export/event_file.h"
#include "bench/records/file.h"
#include "bench/records/store.h"

namespace ddlbench::bench {
namespace {

namespace fs = std::filesystem;

std::string events_of(const CaseHistory& history, const std::vector<EpochRecord>& epochs) {
  std::vector<ScalarEvent> events;
  for (const PastEpoch& past : history.epochs) {
    const EpochRecord& epoch = epochs[past.row];
    events.push_back({past.end_seconds,
                      epoch.epoch,
                      {{"train/loss", static_cast<float>(epoch.train_loss)},
                       {"validation/loss", static_cast<float>(epoch.validation_loss)},
                       {"validation/accuracy", static_cast<float>(epoch.accuracy_ratio)},
                       {"epoch_seconds", static_cast<float>(epoch.epoch_seconds)}}});
  }
  return event_file(history.begin_seconds, events);
}

void write(const RunResults& results, const std::string& folder) {
  for (const CaseHistory& history : histories_of(results.records)) {
    if (history.epochs.empty()) continue;
    const std::string of_case = folder + "/" + in_file_names(results.records.cases[history.row].case_id);
    try {
      fs::create_directories(of_case);
    } catch (const fs::filesystem_error& error) {
      throw InputError(fmt::format("--tensorboard {}: cannot be created: {}; name a folder that can be written",
                                   of_case, error.code().message()));
    }
    const auto second = static_cast<std::int64_t>(history.begin_seconds);  // readers sort the files of a folder by it
    write_file_atomically(fmt::format("{}/events.out.tfevents.{}.ddlbench", of_case, second),
                          events_of(history, results.records.epochs));
  }
}

}  // namespace

void write_tensorboard(const std::vector<RunResults>& runs, const std::string& folder) {
  std::set<std::string> names;
  for (const RunResults& results : runs) {
    const std::string name = in_file_names(results.folder);
    if (!names.insert(name).second) {
      throw InputError(fmt::format("--tensorboard {0}: two runs would be written to {0}/{1}; write them to two folders",
                                   folder, name));
    }
  }
  for (const RunResults& results : runs)
    write(results, runs.size() == 1 ? folder : folder + "/" + in_file_names(results.folder));
}

}  // namespace ddlbench::bench
