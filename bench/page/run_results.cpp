#include "bench/page/run_results.h"

#include <fmt/core.h>
#include <algorithm>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "bench/page/trace_drawing.h"
#include "bench/records/comparison.h"
#include "bench/records/file.h"
#include "bench/records/journal.h"
#include "bench/records/store.h"
#include "bench/records/timed_cases.h"
#include "json/parse.h"

namespace ddlbench::bench {
namespace {

namespace fs = std::filesystem;

Records read_checked(const std::string& folder) {
  std::error_code none;
  if (!fs::is_directory(folder, none)) throw InputError(folder + ": no such folder; name a folder of results");
  const std::string journal = journal_path(folder);
  if (!fs::exists(journal, none)) {
    throw InputError(folder +
                     ": has no journal.jsonl, so it is not a folder of results; name one that a run has written");
  }
  return read_records(folder);
}

nlohmann::json read_object(RunResults& results, const std::string& name) {
  const std::string path = results.folder + "/" + name;
  try {
    nlohmann::json object = json::parse_whole(read_file(path));
    if (object.is_object()) return object;
    results.notes.push_back(path + ": is not a JSON object.");
  } catch (const InputError& error) {
    results.notes.push_back(fmt::format("{} cannot be read: {}.", name, error.what()));
  }
  return nullptr;
}

void note_interruption(RunResults& results) {
  for (const std::string& case_id : unfinished(results.records)) {
    results.notes.push_back(fmt::format("{} had started when the run ended, and has no result.", case_id));
  }
  if (visit_journal(journal_path(results.folder), [](JournalEntry&&, int) {}).torn) {
    results.notes.push_back("The journal's last line is incomplete and was left out: the run ended while writing it.");
  }
  std::error_code none;
  if (fs::exists(fs::symlink_status(results.folder + "/lock", none))) {
    results.notes.push_back("The folder has a file \"lock\": the run has not ended yet, or it was killed.");
  }
}

}  // namespace

RunResults results_of(std::string folder, Records records) {
  RunResults results;
  results.folder = std::move(folder);
  const TimedCases timed(records);
  const std::vector<Comparison> comparisons = compare(timed.cases(), timed.verdicts());
  for (std::size_t i = 0; i < comparisons.size(); ++i) results.rows.push_back({timed.cases()[i], comparisons[i]});
  results.rankings = rank_cases(timed, records);
  for (const Ranking& ranking : results.rankings) {
    for (const RankedCase& one : ranking.ranked) results.standings[one.record.case_id] = {one.rank, one.letters, ""};
    for (const UnrankedCase& one : ranking.unranked) results.standings[one.record.case_id] = {0, "", one.why};
  }
  results.records = std::move(records);
  return results;
}

RunResults read_results(const std::string& folder) {
  std::string name = folder;
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  RunResults results = results_of(name, read_checked(name));
  read_descriptions(results);
  note_interruption(results);
  return results;
}

void read_descriptions(RunResults& results) {
  results.environment = read_object(results, "environment.json");
  results.config = read_object(results, "config.json");
}

void read_schedules(RunResults& results, std::size_t most) {
  std::vector<std::string> order;
  for (const bool several : {true, false}) {
    for (const Ranking& ranking : results.rankings) {
      for (const RankedCase& one : ranking.ranked) {
        if ((one.record.ranks > 1) == several) order.push_back(one.record.case_id);
      }
    }
  }
  for (const Ranking& ranking : results.rankings) {
    for (const UnrankedCase& one : ranking.unranked) order.push_back(one.record.case_id);
  }
  for (const std::string& case_id : order) {
    if (results.schedules.size() >= most) return;
    const std::string path = trace_path(results.folder, case_id);
    std::error_code none;
    if (!fs::exists(path, none)) continue;
    try {
      results.schedules[case_id] = drawing_of_trace(json::parse_whole(read_file(path)));
    } catch (const InputError& error) {
      results.notes.push_back(fmt::format("The trace of {} cannot be drawn: {}.", case_id, error.what()));
    }
  }
}

std::vector<std::string> unfinished(const Records& records) {
  std::set<std::string> ended;
  for (const CaseRecord& record : records.cases) ended.insert(record.case_id);
  std::vector<std::string> ids;
  for (const StartedCase& started : records.started) {
    if (!ended.contains(started.case_id)) ids.push_back(started.case_id);
  }
  return ids;
}

const CaseRecord& any_case(const Ranking& contract) {
  return contract.ranked.empty() ? contract.unranked.front().record : contract.ranked.front().record;
}

const Measurement* timed_measurement(const CaseRecord& record) {
  return record.measurement && record.measurement->repetitions > 0 ? &*record.measurement : nullptr;
}

std::string describe_case(const CaseRecord& record) {
  return fmt::format("{} ({}, {})", record.case_id, record.strategy, ranks_and_threads(record));
}

}  // namespace ddlbench::bench
