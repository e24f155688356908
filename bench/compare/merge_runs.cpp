#include "bench/compare/merge_runs.h"

#include <fmt/core.h>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/join.h"
#include "bench/compare/decisive_environment.h"
#include "bench/compare/differences.h"
#include "bench/config/run_order.h"
#include "bench/records/file.h"
#include "bench/records/journal.h"
#include "bench/records/record_json.h"
#include "bench/records/store.h"
#include "bench/records/timed_cases.h"

namespace ddlbench::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// One of the runs.
struct Source {
  RunResults results;
  std::string suffix;             ///< of its ids
  std::set<std::string> dropped;  ///< cases that another run has
};

std::vector<Source> read_sources(const std::vector<std::string>& folders) {
  std::vector<Source> sources;
  for (const std::string& folder : folders) {
    sources.push_back({read_results(folder), "", {}});
    const RunResults& results = sources.back().results;
    if (why_claimed(folder))
      throw InputError(fmt::format("{}: its run goes on, or was killed: wait for its end, or resume it", folder));
    if (results.config.is_null() || results.environment.is_null())
      throw InputError(fmt::format("{}: {}", folder, joined(results.notes, " ")));
  }
  return sources;
}

void require_same_experiment(const std::vector<Source>& sources, bool accept_changes) {
  const RunResults& first = sources.front().results;
  for (const Source& source : sources) {
    const RunResults& other = source.results;
    if (const auto found = config_differences(first, other); !found.empty()) {
      throw InputError(fmt::format("{} and {} have different configurations: {}; merge runs of one configuration",
                                   first.folder, other.folder, listed(found)));
    }
    if (first.records.kind.certificates_only != other.records.kind.certificates_only)
      throw InputError(fmt::format("one of {} and {} is a run of `ddlbench verify`", first.folder, other.folder));
    const auto found = differences(program_in(first.environment), program_in(other.environment), '.');
    if (found.empty() || accept_changes) continue;
    throw InputError(
        fmt::format("{} and {} are runs of different programs: {}; --accept-changes merges them all the same",
                    first.folder, other.folder, listed(found)));
  }
}

/// Gives ids of machines of different kinds different suffixes. Returns the number of kinds.
std::size_t tell_machines_apart(std::vector<Source>& sources) {
  std::map<std::string, std::string> suffixes;  ///< by machine
  std::set<std::string> used;
  for (const Source& source : sources) {
    const std::string machine = machine_kind_in(source.results.environment).dump();
    if (suffixes.contains(machine)) continue;
    const std::string host = in_file_names(source.results.environment.value("host", "machine"));
    std::string suffix = "@" + host;
    for (int i = 2; !used.insert(suffix).second; ++i) suffix = fmt::format("@{}-{}", host, i);
    suffixes[machine] = suffix;
  }
  if (suffixes.size() == 1) return 1;
  for (Source& source : sources) source.suffix = suffixes.at(machine_kind_in(source.results.environment).dump());
  return suffixes.size();
}

/// Decides which run each case is taken from: the one in which it ran to its end. Throws InputError if it did in two.
void drop_repeated(std::vector<Source>& sources) {
  struct Owner {
    Source* source;
    bool ended;
  };
  std::map<std::string, Owner> owners;
  for (Source& source : sources) {
    std::set<std::string> ended;
    for (const CaseRecord& record : source.results.records.cases) {
      if (!has_infrastructure_failure(record)) ended.insert(record.case_id);
    }
    for (const PlannedCase& planned : source.results.records.planned) {
      const bool has_ended = ended.contains(planned.case_id);
      const auto [owner, is_new] = owners.try_emplace(planned.case_id + source.suffix, Owner{&source, has_ended});
      if (is_new) continue;
      if (owner->second.ended && has_ended) {
        throw InputError(fmt::format("{} ended in {} and in {}; a merged folder has each case once", planned.case_id,
                                     owner->second.source->results.folder, source.results.folder));
      }
      Source& loser = has_ended ? *owner->second.source : source;
      loser.dropped.insert(planned.case_id);
      if (has_ended) owner->second = {&source, true};
    }
  }
}

std::vector<PlannedCase> plan_of(const std::vector<Source>& sources) {
  std::vector<std::pair<std::size_t, PlannedCase>> found;  ///< with the number that an id begins with
  for (const Source& source : sources) {
    for (const PlannedCase& one : source.results.records.planned) {
      if (source.dropped.contains(one.case_id)) continue;
      found.push_back({std::strtoul(one.case_id.c_str(), nullptr, 10),
                       {one.case_id + source.suffix, one.contract_id + source.suffix, one.seed, one.ranks}});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<PlannedCase> plan;
  for (auto& [number, one] : found) plan.push_back(std::move(one));
  return in_run_order(plan);
}

/// The whole has rounds if a part has.
RunKind kind_of(const std::vector<Source>& sources) {
  RunKind kind = sources.front().results.records.kind;
  for (const Source& source : sources) kind.has_rounds |= source.results.records.kind.has_rounds;
  kind.shard = "";
  return kind;
}

void add_suffix(const std::string& suffix, Json& record) {
  for (const char* key : {"case_id", "contract_id", "scaling_id", "replicate_id"}) {
    if (record.contains(key)) record[key] = record[key].get<std::string>() + suffix;
  }
}

/// Returns the entries of the run's journal but those of plan and rounds.
std::vector<JournalEntry> entries_of_cases(const Source& source) {
  std::vector<JournalEntry> entries;
  for (JournalEntry& entry : read_journal(journal_path(source.results.folder)).entries) {
    static const std::set<std::string> others{"plan", "rounds_started", "visit", "rounds"};
    Json& record = entry.record;
    if (others.contains(entry.kind) || (record.contains("case_id") && source.dropped.contains(record["case_id"])))
      continue;
    add_suffix(source.suffix, record);
    entries.push_back(std::move(entry));
  }
  return entries;
}

/// Returns the entries of the run's rounds, whose numbers begin after `rounds`. So rounds of different runs are never
/// paired: nothing took turns in them. Raises `rounds` to the last number.
std::vector<JournalEntry> entries_of_rounds(const Source& source, int& rounds) {
  std::vector<JournalEntry> entries;
  int last = rounds;
  for (VisitRecord visit : source.results.records.visits) {
    if (source.dropped.contains(visit.case_id)) continue;
    visit.round += rounds;
    last = std::max(last, visit.round);
    entries.push_back({"visit", to_json(visit)});
  }
  for (const RoundsRecord& ended : source.results.records.rounds) entries.push_back({"rounds", to_json(ended)});
  for (JournalEntry& entry : entries) add_suffix(source.suffix, entry.record);
  rounds = last;
  return entries;
}

void copy_file(const std::string& from, const std::string& to) {
  std::error_code error;
  if (fs::exists(from, error) && !fs::copy_file(from, to, error))
    throw InputError(fmt::format("{} cannot be copied to {}: {}", from, to, error.message()));
}

void copy_files(const Source& source, const std::string& output) {
  const std::string& folder = source.results.folder;
  for (const PlannedCase& one : source.results.records.planned) {
    if (source.dropped.contains(one.case_id)) continue;
    const std::string id = one.case_id + source.suffix;
    copy_file(trace_path(folder, one.case_id), trace_path(output, id));
    copy_file(log_path(folder, one.case_id), log_path(output, id));
    for (const bool control : {false, true})
      copy_file(log_of_visits(folder, one.case_id, control), log_of_visits(output, id, control));
  }
}

/// Tells the store on which hosts ranks ran.
void place_ranks(const Json& environment, RecordStore& store) {
  for (const Json& host : environment.value("hosts", Json::array())) {
    for (const int rank : host.at("ranks")) store.place(host.at("host"), rank, 1);
  }
}

Json environment_of(const std::vector<Source>& sources) {
  Json environment = sources.front().results.environment;
  for (const Source& source : sources)
    environment["merged"].push_back({{"folder", source.results.folder}, {"environment", source.results.environment}});
  return environment;
}

}  // namespace

MergedRuns merge_runs(const std::vector<std::string>& folders, const std::string& output, bool accept_changes) {
  std::vector<Source> sources = read_sources(folders);
  require_same_experiment(sources, accept_changes);
  MergedRuns merged;
  merged.machines = tell_machines_apart(sources);
  drop_repeated(sources);
  RecordStore store(create_output_folder(output, "merged"), read_file(folders.front() + "/config.json"),
                    environment_of(sources));
  const std::vector<PlannedCase> plan = plan_of(sources);
  store.plan(plan, kind_of(sources));
  for (const Source& source : sources) {
    store.copy(entries_of_cases(source));
    copy_files(source, output);
    place_ranks(source.results.environment, store);
  }
  int rounds = 0;
  for (const Source& source : sources) store.copy(entries_of_rounds(source, rounds));
  store.update_tables();
  merged.planned = plan.size();
  merged.ended = plan.size();
  for (const auto& [contract, count] : missing_cases(store.records())) merged.ended -= count;
  return merged;
}

}  // namespace ddlbench::bench
