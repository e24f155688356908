#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/records/tables.h"
#include "bench/records/timed_cases.h"

namespace ddlbench::bench {

/// Rows that are made one after another, so that they need no memory together.
template <class Row>
struct Rows {
  std::size_t count = 0;
  std::function<Row(std::size_t)> at;

  Rows(std::size_t rows, std::function<Row(std::size_t)> row_at) : count(rows), at(std::move(row_at)) {}
  /// Those of a vector from `first` on. It must outlive this object.
  Rows(const std::vector<Row>& all, std::size_t first = 0)  // NOLINT(google-explicit-constructor)
      : count(all.size() - first), at([&all, first](std::size_t i) { return all[first + i]; }) {}
};

/// A table of a folder that follows a growing list of rows.
template <class Row>
class GrowingTable {
 public:
  explicit GrowingTable(const std::string& folder) : path_(folder + "/" + Table<Row>::file()) {}

  /// Appends rows to the file in one write. Returns false, without writing, if the file must be replaced as a whole: it
  /// is new or is not as it was left, or the rows have a new column. Throws InputError, after removing what was
  /// appended if possible.
  bool append(const Rows<Row>& rows);
  /// Replaces the file. Throws InputError.
  void replace(const Rows<Row>& rows);

 private:
  /// Returns whether there are new columns.
  bool add_columns(const Rows<Row>& rows);
  std::string lines(const Rows<Row>& rows) const;

  std::string path_;
  Table<Row> table_;
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
  std::vector<Comparison> comparisons_;  ///< of the rows in the file
  TimedCases timed_;
};

/// The tables of a folder.
class TableFiles {
 public:
  explicit TableFiles(const std::string& folder);
  /// Replaces all files. Throws InputError.
  void replace(const Records& records);
  /// Updates all files. `records`: all cases, visits and rounds, which begin with those of the last call, and of the
  /// others those that are new. `read_all` returns all records, for files that must be replaced as a whole. Throws
  /// InputError.
  void update(const Records& records, const std::function<Records()>& read_all);
  /// Forgets cases, visits and rounds, so that the next call may have others.
  void forget_cases();

 private:
  std::string folder_;
  CaseTable cases_;
  GrowingTable<EpochRecord> epochs_;
  GrowingTable<ValidationRecord> validations_;
  GrowingTable<RankRecord> ranks_;
  GrowingTable<UtilisationRecord> utilisation_;
  GrowingTable<VisitRecord> visits_;
  std::size_t visits_written_ = 0;
};

}  // namespace ddlbench::bench
