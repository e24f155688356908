#include "bench/records/store.h"

#include <fmt/core.h>
#include <cctype>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/hash.h"
#include "base/units.h"
#include "bench/records/environment.h"
#include "bench/records/record_json.h"
#include "json/parse.h"
#include "platform/host_name.h"

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
  std::string path = journal_path(folder);
  if (fs::exists(path)) throw InputError(not_empty(folder));
  return path;
}

/// Adds an entry. Throws InputError with the line of `path` where it is not one of ddlbench.
void add_line(RecordBuilder& builder, const JournalEntry& entry, const std::string& path, int line) {
  try {
    builder.add(entry);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}:{}: {}", path, line, error.what()));
  } catch (const std::exception& error) {
    throw InputError(fmt::format("{}:{}: this record is not one of ddlbench: {}", path, line, error.what()));
  }
}

RecordBuilder builder_of(const std::string& folder) {
  const std::string path = journal_path(folder);
  RecordBuilder builder;
  visit_journal(path, [&](JournalEntry&& entry, int line) { add_line(builder, entry, path, line); });
  return builder;
}

/// Returns what environment.json says of a process that starts a run.
nlohmann::json start_of_run() {
  return {{"command_line", command_line()}, {"start_time_utc", utc_now()}};
}

nlohmann::json environment_of_run(const std::string& resolved_config) {
  nlohmann::json environment = describe_environment();
  environment.update(start_of_run());
  environment["config_hash"] = hexadecimal(fnv1a(resolved_config));
  return environment;
}

std::map<std::string, std::set<int>> ranks_of_hosts(const nlohmann::json& environment) {
  std::map<std::string, std::set<int>> ranks;
  for (const nlohmann::json& host : environment.value("hosts", nlohmann::json::array()))
    ranks[host.at("host")] = host.at("ranks").get<std::set<int>>();
  return ranks;
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

void require_space(const std::string& folder, std::int64_t bytes) {
  std::error_code error;
  const fs::space_info space = fs::space(folder, error);
  if (error || space.available >= static_cast<std::uintmax_t>(bytes)) return;
  throw InputError(fmt::format("{}: the file system has only {} left; a case needs at least {} for its records", folder,
                               format_bytes(static_cast<std::int64_t>(space.available)), format_bytes(bytes)));
}

RecordStore::RecordStore(const std::string& folder, const std::string& resolved_config)
    : RecordStore(folder, resolved_config, environment_of_run(resolved_config)) {}

RecordStore::RecordStore(const std::string& folder, const std::string& resolved_config, nlohmann::json environment)
    : folder_(folder),
      claim_(folder),
      journal_(new_journal(folder)),
      environment_(std::move(environment)),
      ranks_of_hosts_(ranks_of_hosts(environment_)) {
  write_file_atomically(folder + "/config.json", resolved_config);
  update_tables();
}

RecordStore::RecordStore(const Resumption& resumption)
    : folder_(resumption.folder),
      claim_(folder_, FolderClaim::LeftOver::replaced),
      journal_(journal_path(folder_)),
      builder_(builder_of(folder_)),
      environment_(json::parse_whole(read_file(folder_ + "/environment.json"))),
      ranks_of_hosts_(ranks_of_hosts(environment_)) {
  nlohmann::json resumed = start_of_run();
  resumed["host"] = platform::host_name();
  if (!resumption.changes.empty()) resumed["changes"] = resumption.changes;
  environment_["resumptions"].push_back(std::move(resumed));
  fs::create_directories(folder_ + "/trace");
  fs::create_directories(folder_ + "/log");
  if (!resumption.resolved_config.empty()) {
    write_file_atomically(folder_ + "/config.json", resumption.resolved_config);
    environment_["config_hash"] = hexadecimal(fnv1a(resumption.resolved_config));
  }
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
  const RecordBuilder::Reordered reordered = builder_.take_reordered();
  if (reordered.rows || !tables_) {
    tables_.emplace(folder_);
    tables_->replace(read_all(), records());
  } else {
    if (reordered.cases) tables_->forget_cases();
    tables_->update(builder_.records(), [this] { return read_all(); });
  }
  builder_.forget_rows();
  if (const std::size_t settled = builder_.forget_settled(); settled > 0) tables_->settle_first(settled, records());
}

Records RecordStore::read_all(Rows rows) const {
  const std::string path = journal_path(folder_);
  RecordBuilder builder;
  journal_.visit([&](JournalEntry&& entry, int line) {
    add_line(builder, entry, path, line);
    if (rows == Rows::left_out) builder.forget_rows();
  });
  if (builder.records().cases.size() != builder_.forgotten_cases() + records().cases.size())
    throw InputError(path + ": was changed by another program during the run");
  return builder.records();
}

void RecordStore::append(const std::string& kind, const nlohmann::json& record) {
  if (!claim_.is_held())
    throw InputError(folder_ +
                     "/lock: was removed or replaced during the run, so that another run may write this folder");
  builder_.add({kind, journal_.append({kind, record})});
}

void RecordStore::copy(const std::vector<JournalEntry>& entries) {
  journal_.append_all(entries);
  for (const JournalEntry& entry : entries) builder_.add(entry);
}

void RecordStore::add(const CaseRecord& record) {
  builder_.require_unforgotten(record.case_id);
  append("case", to_json(record));
}
void RecordStore::add(const EpochRecord& record) {
  append("epoch", to_json(record));
}
void RecordStore::add(const ValidationRecord& record) {
  append("validation", to_json(record));
}
void RecordStore::add(const RankRecord& record) {
  append("rank", to_json(record));
}
void RecordStore::add(const UtilisationRecord& record) {
  append("utilisation", to_json(record));
}
void RecordStore::add(const VisitRecord& record) {
  append("visit", to_json(record));
}
void RecordStore::add(const RoundsRecord& record) {
  append("rounds", to_json(record));
}

void RecordStore::plan(const std::vector<PlannedCase>& cases, const RunKind& kind) {
  nlohmann::json listed = nlohmann::json::array();
  for (const PlannedCase& one : cases) listed.push_back({one.case_id, one.contract_id, one.seed, one.ranks});
  append("plan", {{"cases", std::move(listed)},
                  {"certificates_only", kind.certificates_only},
                  {"has_rounds", kind.has_rounds},
                  {"shard", kind.shard}});
}

int RecordStore::begin_case(const std::string& case_id, std::int64_t resumed_step) {
  builder_.require_unforgotten(case_id);
  nlohmann::json started{{"case_id", case_id}, {"time_utc", utc_now()}};
  if (resumed_step > 0) started["resumed_step"] = resumed_step;
  append("case_started", started);
  return builder_.attempts(case_id);
}

void RecordStore::begin_rounds(const std::string& contract_id) {
  append("rounds_started", {{"contract_id", contract_id}});
}

std::string RecordStore::trace_file(const std::string& case_id) const {
  return trace_path(folder_, case_id);
}

std::string RecordStore::log_file(const std::string& case_id) const {
  return log_path(folder_, case_id);
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

std::string log_path(const std::string& folder, const std::string& case_id) {
  return fmt::format("{}/log/{}.log", folder, in_file_names(case_id));
}

std::string log_of_visits(const std::string& folder, const std::string& case_id, bool control) {
  return log_path(folder, case_id + (control ? ".control" : ".visit"));
}

std::string journal_path(const std::string& folder) {
  return folder + "/journal.jsonl";
}

Records read_records(const std::string& folder) {
  return builder_of(folder).records();
}

}  // namespace ddlbench::bench
