#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ddlbench::bench {

/// Whether a record has a value for a cell, and where it has none.
struct Presence {
  bool filled = true;
  std::string_view empty_where = {};
};

/// What a table says of a record's field. Of a record within a record the name is a pattern whose '*' stands for the
/// name of each inner column, and the help goes before theirs; of counts by name the '*' stands for these names.
struct ResultColumn {
  std::string_view name;  ///< empty: the field has no column
  std::string_view help;
  Presence presence;
  std::vector<std::string> counted = {};  ///< names of counts that have a column in any case
};

inline constexpr std::string_view no_column = {};

/// Of a field whose column has the member's name, or another one.
inline ResultColumn column(std::string_view member, std::string_view help, const Presence& presence) {
  return {member, help, presence};
}
inline ResultColumn column(std::string_view, std::string_view help, const Presence& presence, std::string_view name,
                           std::vector<std::string> counted = {}) {
  return {name, help, presence, std::move(counted)};
}

}  // namespace ddlbench::bench
