#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/records/record.h"

namespace ddlbench::bench {

/// The documentation of a column. For counts the name is a pattern: "peak_*_bytes".
struct ColumnText {
  std::string name, meaning, empty_where;
  std::string_view type;             ///< "string", "integer", "number" or "boolean"
  bool nullable = false;             ///< whether a cell can be empty
  bool is_counts = false;            ///< whether the name is a pattern
  std::vector<std::string> counted;  ///< the names that always have a column, if it is
};

/// Returns the pattern with the name instead of its '*': "peak_workspace_bytes".
std::string in_pattern(std::string_view pattern, std::string_view name);

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
  /// Returns the same as an object whose keys are the columns, in their order. The value of an empty cell, and of a
  /// number that is not finite, is null.
  nlohmann::ordered_json object(const Row& row) const;

  static std::string_view name();  ///< "cases"
  static std::string file() { return std::string(name()) + ".csv"; }
  static std::vector<ColumnText> columns();

 private:
  struct Names {
    std::vector<std::string> always;
    std::set<std::string> others;
  };
  template <class Visitor>
  void each_cell(const Row& row, Visitor visitor) const;

  std::vector<Names> counts_;  ///< of each field of counts, in order
};

/// Returns the columns of all tables as Markdown, as in docs/results.md.
std::string describe_tables();

}  // namespace ddlbench::bench
