#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ddlbench::bench {

/// Whether a record has a value for a cell, and when it has none, for the documentation.
struct Presence {
  bool filled = true;
  std::string_view empty_where = {};
};

/// How a table shows a field of a record. For a nested record the name is a pattern whose '*' stands for the name of
/// each inner column, and the help precedes theirs. For counts the '*' stands for the name of each count.
struct ResultColumn {
  std::string_view name;  ///< empty: the field has no column
  std::string_view help;
  Presence presence;
  std::vector<std::string> counted = {};  ///< names of counts that always have a column
};

inline constexpr std::string_view no_column = {};

/// Return the column of a field, named after the member or by `name`.
inline ResultColumn column(std::string_view member, std::string_view help, const Presence& presence) {
  return {member, help, presence};
}
inline ResultColumn column(std::string_view, std::string_view help, const Presence& presence, std::string_view name,
                           std::vector<std::string> counted = {}) {
  return {name, help, presence, std::move(counted)};
}

}  // namespace ddlbench::bench
