#pragma once

#include <string>
#include <vector>

#include "bench/records/tables.h"
#include "bench/records/timed_cases.h"

namespace ddlbench::bench {

/// A table of a folder that follows a growing list of rows.
template <class Row>
class GrowingTable {
 public:
  explicit GrowingTable(const std::string& folder) : path_(folder + "/" + Table<Row>::file()) {}

  /// Updates the file to `rows`, which begin with the rows that it already has. New rows are appended in one write. If
  /// that is not enough (a new column, changed rows, or the file is not as it was left), the file is replaced as a
  /// whole. Throws InputError, after removing what was appended if possible.
  void update(const std::vector<Row>& rows);

  /// Declares that rows which are already in the file have changed.
  void mark_rows_changed() { bytes_ = -1; }

 private:
  std::string path_;
  Table<Row> table_;
  std::size_t written_ = 0;  ///< rows in the file
  std::int64_t bytes_ = -1;  ///< size of the file; −1: the file must be replaced
};

/// The table cases.csv, in which a new row changes other rows if it is their baseline, and rounds change the rows of
/// their contract.
class CaseTable {
 public:
  explicit CaseTable(const std::string& folder) : table_(folder) {}
  /// Updates the file to the cases, which begin with those that it already has, with the times of their visits. Throws
  /// InputError.
  void update(const Records& records);

 private:
  GrowingTable<CaseRow> table_;
  std::vector<CaseRow> rows_;
  TimedCases timed_;
};

/// The tables of a folder.
class TableFiles {
 public:
  explicit TableFiles(const std::string& folder);
  /// Updates all files to `records`, which begin with the previous ones of each kind. Throws InputError.
  void update(const Records& records);

 private:
  CaseTable cases_;
  GrowingTable<EpochRecord> epochs_;
  GrowingTable<ValidationRecord> validations_;
  GrowingTable<RankRecord> ranks_;
  GrowingTable<UtilisationRecord> utilisation_;
  GrowingTable<VisitRecord> visits_;
};

}  // namespace ddlbench::bench
