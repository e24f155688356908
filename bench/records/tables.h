#pragma once

#include <set>
#include <string>
#include <vector>

#include "bench/records/record.h"

namespace ddlbench::bench {

/// A column, as people are told of it. Of counts by name it is a pattern, "peak_*_bytes".
struct ColumnText {
  std::string name, meaning, empty_where;
};

/// A table of CaseRow, EpochRecord, RankRecord or UtilisationRecord as CSV. Its columns are the records' fields (the
/// .def files beside this), in order, and those of records within them. Counts by name have a column for each of their
/// names: those that the field gives, then all others that a row has, sorted.
template <class Row>
class Table {
 public:
  Table();

  /// Makes columns for a row's counts. Whether some came.
  bool add_columns(const Row& row);
  std::string header() const;
  /// Of a row whose columns are there.
  std::string line(const Row& row) const;

  static std::vector<ColumnText> columns();

 private:
  struct Names {
    std::vector<std::string> always;
    std::set<std::string> others;
  };
  std::vector<Names> counts_;  ///< of each field of counts
};

/// The columns of all tables in Markdown, as docs/results.md has them.
std::string describe_tables();

}  // namespace ddlbench::bench
