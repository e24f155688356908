#pragma once

#include <string>
#include <vector>

#include "bench/records/tables.h"

namespace ddlbench::bench {

/// A table on the disk that follows a growing list of rows.
template <class Row>
class GrowingTable {
 public:
  explicit GrowingTable(std::string path) : path_(std::move(path)) {}

  /// Brings the file up to `rows`, of which those that it has are the first: the others are added at its end, by one
  /// write. Where that is not enough (a column came, rows changed, or the file is not as it was left), it is replaced
  /// as a whole. Throws InputError; what was added of a row then goes, if it can.
  void bring_up(const std::vector<Row>& rows);

  /// Those that the file has are not all the same as before.
  void note_changed_rows() { bytes_ = -1; }

 private:
  std::string path_;
  Table<Row> table_;
  std::size_t written_ = 0;  ///< rows
  std::int64_t bytes_ = -1;  ///< of the file; −1: it is to be replaced
};

/// cases.csv, in which a new row changes others where it is their baseline.
class CaseTable {
 public:
  explicit CaseTable(std::string path) : table_(std::move(path)) {}
  /// Brings the file up to `records`, of which those that it has are the first. Throws InputError.
  void bring_up(const std::vector<CaseRecord>& records);

 private:
  GrowingTable<CaseRow> table_;
  std::vector<CaseRow> rows_;
};

/// The tables of a folder: cases.csv, epochs.csv, ranks.csv and utilisation.csv.
class TableFiles {
 public:
  explicit TableFiles(const std::string& folder);
  /// Brings all files up to `records`, of which those of before are the first of each kind. Throws InputError.
  void bring_up(const Records& records);

 private:
  CaseTable cases_;
  GrowingTable<EpochRecord> epochs_;
  GrowingTable<RankRecord> ranks_;
  GrowingTable<UtilisationRecord> utilisation_;
};

}  // namespace ddlbench::bench
