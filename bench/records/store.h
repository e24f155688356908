#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/records/folder_claim.h"
#include "bench/records/journal.h"
#include "bench/records/record.h"
#include "bench/records/table_files.h"

namespace ddlbench::bench {

/// Makes the folder and all above it. `requested` empty: results/NAME-TIMESTAMP. Throws InputError when it
/// cannot be written, is not empty, or is another run's. Returns its path.
std::string create_output_folder(const std::string& requested, const std::string& experiment);

/// The records of one run, in a folder of their own: docs/results.md lists the files.
class RecordStore {
 public:
  /// Begins: claims the folder for as long as this lives, and writes config.json, environment.json, an empty journal
  /// and its tables. Throws InputError where another run has claimed it or has left its journal there.
  RecordStore(const std::string& folder, const std::string& resolved_config);

  void add(const CaseRecord& record);
  void add(const EpochRecord& record);
  void add(const RankRecord& record);
  void add(const UtilisationRecord& record);
  /// A case begins: if the run dies, the journal says with which.
  void begin_case(const std::string& case_id);
  /// Brings cases.csv, epochs.csv, ranks.csv and utilisation.csv up to what was added.
  void bring_up_tables() { tables_.bring_up(records_); }

  const Records& records() const { return records_; }
  const std::string& folder() const { return folder_; }
  std::string trace_file(const std::string& case_id) const;
  std::string log_file(const std::string& case_id) const;

 private:
  std::string folder_;
  FolderClaim claim_;
  Journal journal_;
  Records records_;
  TableFiles tables_;
};

/// Reads a folder's journal. Throws InputError.
Records read_records(const std::string& folder);

}  // namespace ddlbench::bench
