#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ddlbench::bench {

/// Returns a description of every table of a run: {"schema_version", "tables": [{"file", "columns": [{"name", "type",
/// "unit", "nullable", "meaning", "empty_where"}]}]}, with the columns in the order of the file. `type` is "string",
/// "integer", "number" or "boolean"; `nullable` says whether a cell can be empty, and `empty_where` when. A column
/// whose name is not known in advance has "name_pattern" with a '*' instead of "name"; files have none, one or several
/// such columns there, sorted.
nlohmann::ordered_json results_schema();

/// Returns the unit that the name of a column contains: "seconds", "bytes", "ratio", "watts", "bytes/rank/step",
/// "samples/second"; empty if it contains none.
std::string unit_in(std::string_view column);

}  // namespace ddlbench::bench
