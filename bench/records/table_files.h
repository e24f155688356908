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

  /// Appends rows to the file in one write. Returns false, without writing, if rows must be replaced: the file is new
  /// or is not as it was left, or the rows have a new column. Throws InputError, after removing what was appended if
  /// possible.
  bool append(const Rows<Row>& rows);
  /// Replaces the rows after the settled ones. Returns false, without writing, if the file must be replaced as a whole.
  /// Throws InputError.
  bool replace_unsettled(const Rows<Row>& rows);
  /// Replaces the file, and no row is settled any more. Throws InputError.
  void replace(const Rows<Row>& rows);
  /// Settles `rows`, the first ones of the file that were not: they will not change.
  void settle(const Rows<Row>& rows) { settled_bytes_ += static_cast<std::int64_t>(lines(rows).size()); }
  /// Rows that are not settled have changed: the next append() returns false.
  void invalidate() { is_valid_ = false; }

 private:
  /// Returns whether the file is as it was left, and has all columns of the rows; otherwise it must be replaced.
  bool fits(const Rows<Row>& rows);
  /// Returns whether there are new columns.
  bool add_columns(const Rows<Row>& rows);
  std::string lines(const Rows<Row>& rows) const;

  std::string path_;
  Table<Row> table_;
  std::int64_t bytes_ = -1;         ///< size of the file; −1: the file must be replaced
  std::int64_t settled_bytes_ = 0;  ///< of the header and the settled rows
  bool is_valid_ = true;
};

/// The table cases.csv, in which a new row changes other rows if it is their baseline, and rounds change the rows of
/// their contract.
class CaseTable {
 public:
  explicit CaseTable(const std::string& folder) : table_(folder) {}
  /// Replaces the file. The cases before those of `unsettled`, which are the last ones of `all`, are settled.
  void replace(const Records& all, const Records& unsettled);
  /// Updates the file to the cases, which begin with those that it already has and that are not settled, with the times
  /// of their visits. `read_all` returns all records. Throws InputError.
  void update(const Records& records, const std::function<const Records&()>& read_all);
  /// Settles the first `count` cases of the last call: they will not change. Later calls have the records `remaining`.
  void settle_first(std::size_t count, const Records& remaining);
  /// Forgets all cases that are not settled, so that the next call may have others.
  void forget_unsettled();

 private:
  GrowingTable<CaseRow> table_;
  std::vector<Comparison> comparisons_;  ///< of the rows in the file that are not settled
  TimedCases timed_;                     ///< likewise
};

/// The tables of a folder.
class TableFiles {
 public:
  explicit TableFiles(const std::string& folder);
  /// Replaces all files. `unsettled`: what later calls have of the cases, visits and rounds. Throws InputError.
  void replace(const Records& all, const Records& unsettled);
  /// Updates all files. `records`: all cases, visits and rounds that are not settled, which begin with those of the
  /// last call, and of the others those that are new. `read_all` returns all records, for files that must be replaced
  /// as a whole. Throws InputError.
  void update(const Records& records, const std::function<Records()>& read_all);
  /// Settles the first `count` cases: their rows will not change. Later calls have what remains of the records.
  void settle_first(std::size_t count, const Records& remaining);
  /// Forgets the cases, visits and rounds that are not settled, so that the next call may have others.
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
