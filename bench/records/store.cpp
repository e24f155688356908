#include "bench/records/store.h"

#include <fmt/core.h>
#include <cctype>
#include <filesystem>

#include "base/error.h"
#include "base/hash.h"
#include "bench/records/environment.h"
#include "bench/records/record_json.h"

namespace ddlbench::bench {

namespace fs = std::filesystem;

namespace {

/// Creates results/NAME-TIMESTAMP. Two runs that start in the same second get different folders.
std::string make_default_folder(const std::string& experiment) {
  std::string stamp;
  for (const char c : utc_now()) {
    if (c != '-' && c != ':') stamp += c;
  }
  const std::string base = fmt::format("results/{}-{}", in_file_names(experiment), stamp);
  std::string folder = base;
  fs::create_directories("results");
  for (int i = 2; !fs::create_directory(folder); ++i) folder = fmt::format("{}-{}", base, i);
  return folder;
}

std::string not_empty(const std::string& folder) {
  return "output folder " + folder + " is not empty: name another with --output, or remove it";
}

/// Returns the path of a journal that does not exist yet. Throws InputError if it does. The folder must be claimed, so
/// that no other process can create one at the same time.
std::string new_journal(const std::string& folder) {
  std::string path = folder + "/journal.jsonl";
  if (fs::exists(path)) throw InputError(not_empty(folder));
  return path;
}

}  // namespace

std::string create_output_folder(const std::string& requested, const std::string& experiment) {
  try {
    const std::string folder = requested.empty() ? make_default_folder(experiment) : requested;
    if (fs::is_directory(folder) && !fs::is_empty(folder)) {
      throw InputError(why_claimed(folder).value_or(not_empty(folder)));
    }
    fs::create_directories(folder);
    fs::create_directories(folder + "/trace");
    fs::create_directories(folder + "/log");
    return folder;
  } catch (const fs::filesystem_error& error) {
    throw InputError(fmt::format("output folder {} cannot be written: {}; name another with --output",
                                 error.path1().string(), error.code().message()));
  }
}

RecordStore::RecordStore(const std::string& folder, const std::string& resolved_config)
    : folder_(folder), claim_(folder), journal_(new_journal(folder)), tables_(folder) {
  environment_ = describe_environment();
  environment_["command_line"] = command_line();
  environment_["start_time_utc"] = utc_now();
  environment_["config_hash"] = hexadecimal(fnv1a(resolved_config));
  write_file_atomically(folder + "/config.json", resolved_config);
  update_tables();
}

void RecordStore::place(const std::string& host, int first, int ranks) {
  for (int rank = first; rank < first + ranks; ++rank)
    environment_changed_ |= ranks_of_hosts_[host].insert(rank).second;
}

void RecordStore::update_tables() {
  if (environment_changed_) {
    nlohmann::json hosts = nlohmann::json::array();
    for (const auto& [host, ranks] : ranks_of_hosts_) hosts.push_back({{"host", host}, {"ranks", ranks}});
    environment_["hosts"] = std::move(hosts);
    write_file_atomically(folder_ + "/environment.json", environment_.dump(2) + "\n");
    environment_changed_ = false;
  }
  tables_.update(records_);
}

void RecordStore::add(const CaseRecord& record) {
  records_.cases.push_back(case_from_json(journal_.append({"case", to_json(record)})));
}
void RecordStore::add(const EpochRecord& record) {
  records_.epochs.push_back(epoch_from_json(journal_.append({"epoch", to_json(record)})));
}
void RecordStore::add(const ValidationRecord& record) {
  records_.validations.push_back(validation_from_json(journal_.append({"validation", to_json(record)})));
}
void RecordStore::add(const RankRecord& record) {
  records_.ranks.push_back(rank_from_json(journal_.append({"rank", to_json(record)})));
}
void RecordStore::add(const UtilisationRecord& record) {
  records_.utilisation.push_back(utilisation_from_json(journal_.append({"utilisation", to_json(record)})));
}
void RecordStore::add(const VisitRecord& record) {
  records_.visits.push_back(visit_from_json(journal_.append({"visit", to_json(record)})));
}
void RecordStore::add(const RoundsRecord& record) {
  records_.rounds.push_back(rounds_from_json(journal_.append({"rounds", to_json(record)})));
}
void RecordStore::begin_case(const std::string& case_id) {
  const StartedCase started{case_id, utc_now()};
  journal_.append({"case_started", {{"case_id", started.case_id}, {"time_utc", started.time_utc}}});
  records_.started.push_back(started);
}

std::string RecordStore::trace_file(const std::string& case_id) const {
  return trace_path(folder_, case_id);
}

std::string RecordStore::log_file(const std::string& case_id) const {
  return fmt::format("{}/log/{}.log", folder_, in_file_names(case_id));
}

std::string in_file_names(std::string text) {
  for (char& c : text) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '-') c = '_';
  }
  if (text.empty() || text.front() == '.') text.insert(text.begin(), '_');
  return text;
}

std::string trace_path(const std::string& folder, const std::string& case_id) {
  return fmt::format("{}/trace/{}.json", folder, in_file_names(case_id));
}

Records read_records(const std::string& folder) {
  const std::string path = folder + "/journal.jsonl";
  Records records;
  for (const JournalEntry& entry : read_journal(path).entries) {
    if (entry.kind == "case") {
      records.cases.push_back(case_from_json(entry.record));
    } else if (entry.kind == "epoch") {
      records.epochs.push_back(epoch_from_json(entry.record));
    } else if (entry.kind == "validation") {
      records.validations.push_back(validation_from_json(entry.record));
    } else if (entry.kind == "rank") {
      records.ranks.push_back(rank_from_json(entry.record));
    } else if (entry.kind == "utilisation") {
      records.utilisation.push_back(utilisation_from_json(entry.record));
    } else if (entry.kind == "visit") {
      records.visits.push_back(visit_from_json(entry.record));
    } else if (entry.kind == "rounds") {
      records.rounds.push_back(rounds_from_json(entry.record));
    } else if (entry.kind == "case_started") {
      records.started.push_back({entry.record.at("case_id"), entry.record.at("time_utc")});
    } else {
      throw InputError(fmt::format("{}: \"{}\" records come from a newer ddlbench", path, entry.kind));
    }
  }
  return records;
}

}  // namespace ddlbench::bench
