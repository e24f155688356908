#pragma once

#include <set>
#include <string>
#include <vector>

#include "bench/records/record.h"

namespace ddlbench::bench {

/// The documentation of a column. For counts the name is a pattern: "peak_*_bytes".
struct ColumnText {
  std::string name, meaning, empty_where;
};

/// A table of CaseRow, EpochRecord, ValidationRecord, RankRecord, UtilisationRecord or VisitRecord as CSV. Its columns
/// are the fields of the record, in the order of the .def files in this folder, and those of nested records. Counts
/// have a column for each of their names: first the names that the field gives, then all others that occur in a row,
/// sorted.
template <class Row>
class Table {
 public:
  Table();

  /// Adds the columns that a row's counts need. Returns whether there are new ones.
  bool add_columns(const Row& row);
  std::string header() const;
  /// Returns the line of a row, for whose counts add_columns() was called.
  std::string line(const Row& row) const;

  static std::vector<ColumnText> columns();

 private:
  struct Names {
    std::vector<std::string> always;
    std::set<std::string> others;
  };
  std::vector<Names> counts_;  ///< of each field of counts, in order
};

/// Returns the columns of all tables as Markdown, as in docs/results.md.
std::string describe_tables();

}  // namespace ddlbench::bench
