#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/records/folder_claim.h"
#include "bench/records/journal.h"
#include "bench/records/record.h"
#include "bench/records/record_builder.h"
#include "bench/records/table_files.h"

namespace ddlbench::bench {

/// Creates the folder and its parents, and returns its path. If `requested` is empty, the folder is
/// results/NAME-TIMESTAMP. Throws InputError if it cannot be written, is not empty, or belongs to another run.
std::string create_output_folder(const std::string& requested, const std::string& experiment);

/// Throws InputError if the file system of a folder has fewer free bytes. The default is more than the records and the
/// log of most cases.
void require_space(const std::string& folder, std::int64_t bytes = std::int64_t{16} << 20);

/// A run that continues in the folder of an earlier one.
struct Resumption {
  std::string folder;
  std::string resolved_config = {};  ///< with which it continues; empty: that of the folder
  std::vector<std::string> changes;  ///< what differs from the earlier run, for environment.json
};

/// The records of one run, in a folder of their own. docs/results.md lists the files.
class RecordStore {
 public:
  /// Claims the folder for the lifetime of this object. Writes config.json, environment.json, an empty journal and its
  /// tables. Throws InputError if another run has claimed the folder or has left its journal there.
  RecordStore(const std::string& folder, const std::string& resolved_config);

  /// Claims the folder of a run that has ended, and continues its journal. Adds this process to `resumptions` of
  /// environment.json. Throws InputError if the run goes on, or if its files cannot be read.
  explicit RecordStore(const Resumption& resumption);

  /// Likewise a new folder, for records that are copied from runs with this environment.
  RecordStore(const std::string& folder, const std::string& resolved_config, nlohmann::json environment);

  /// Adds entries of other journals.
  void copy(const std::vector<JournalEntry>& entries);

  void add(const CaseRecord& record);
  void add(const EpochRecord& record);
  void add(const ValidationRecord& record);
  void add(const RankRecord& record);
  void add(const UtilisationRecord& record);
  void add(const VisitRecord& record);
  void add(const RoundsRecord& record);
  /// Records all cases that the run is to have.
  void plan(const std::vector<PlannedCase>& cases, const RunKind& kind);
  /// Records that a case starts, so that the journal names the case if the run dies. `resumed_step`: the steps of an
  /// earlier attempt that it does not train again. Returns how often the case has started.
  int begin_case(const std::string& case_id, std::int64_t resumed_step = 0);
  /// Records that the rounds of a contract start.
  void begin_rounds(const std::string& contract_id);
  /// Records that ranks of a case run on a host: `ranks` of them, from `first` on. environment.json lists them.
  void place(const std::string& host, int first, int ranks);
  /// Settles contracts whose cases and rounds have all ended, and with which no later case is compared: after the next
  /// update of the tables, records() may lack their cases, visits and rounds.
  void settle(const std::set<std::string>& contracts) { builder_.settle(contracts); }
  /// Updates all tables, and environment.json, with what was added.
  void update_tables();

  /// Returns the records so far, without those of settled contracts. Of epochs, validations, ranks and utilisation only
  /// those since the tables were updated: read_all() returns all.
  const Records& records() const { return builder_.records(); }
  /// Whether epochs, validations, ranks and utilisation are read, whose number grows with the time that a run takes.
  enum class Rows : std::uint8_t { read, left_out };
  /// Reads all records from the journal, even if its folder was moved or removed. Throws InputError.
  Records read_all(Rows rows = Rows::read) const;
  /// Returns how often the case has started.
  int attempts(const std::string& case_id) const { return builder_.attempts(case_id); }
  const std::string& folder() const { return folder_; }
  std::string trace_file(const std::string& case_id) const;
  std::string log_file(const std::string& case_id) const;

 private:
  void append(const std::string& kind, const nlohmann::json& record);

  std::string folder_;
  FolderClaim claim_;
  Journal journal_;
  RecordBuilder builder_;
  std::optional<TableFiles> tables_;  ///< as they are in the folder; empty at first
  nlohmann::json environment_;
  std::map<std::string, std::set<int>> ranks_of_hosts_;
  bool environment_changed_ = true;  ///< since it was written
};

/// Returns the form of a text in names of files: all but letters, digits, '.', '_' and '-' are replaced by '_', and the
/// file is not hidden.
std::string in_file_names(std::string text);

/// Return the paths of files in a folder of results: of a case's trace, of its log, of the log of its last visit (or of
/// that of the second copy, the control), of the journal.
std::string trace_path(const std::string& folder, const std::string& case_id);
std::string log_path(const std::string& folder, const std::string& case_id);
std::string log_of_visits(const std::string& folder, const std::string& case_id, bool control = false);
std::string journal_path(const std::string& folder);

/// Reads the journal of a folder. Throws InputError if it cannot be read, is damaged, or is of a newer ddlbench.
Records read_records(const std::string& folder);

}  // namespace ddlbench::bench
