
#include <fmt/core.h>
#include <algorithm>

#include "base/counted.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/units.h"
#include "bench/command/commands.h"
#include "bench/command/main_command.h"
#include "bench/records/cache_file.h"
#include "bench/records/environment.h"
#include "bench/records/installed.h"
#include "bench/report/grid.h"
#include "json/suggest.h"

namespace ddlbench::bench {
namespace {

std::string text_of(const std::string& key, const nlohmann::json& value) {
  if (value.is_null()) return "-";  // unknown or absent
  if (key.ends_with("_bytes") && value.is_number_integer()) return format_bytes(value.get<std::int64_t>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void add(Grid& grid, const std::string& prefix, const nlohmann::json& object) {
  for (const auto& [key, value] : object.items()) {
    const bool is_list_of_objects = value.is_array() && !value.empty() && value.front().is_object();
    if (value.is_object() || is_list_of_objects) {
      add(grid, fmt::format("{}{}.", prefix, key), value);
    } else {
      grid.add({prefix + key, text_of(key, value)});
    }
  }
}

void add_cache(Grid& grid) {
  const std::string folder = cache_folder();
  grid.add({"cache.folder", folder.empty() ? "-" : folder});
  if (folder.empty()) return;
  for (const CacheContents& contents : cache_contents(folder)) {
    grid.add({"cache." + contents.kind, fmt::format("{} in {}", contents.entries, counted(contents.files, "file"))});
  }
}

void add_installed(Grid& grid) {
  const std::string folder = installed_data_folder();
  grid.add({"installed.configs", folder.empty() ? "-" : folder + "/configs"});
}

int forget(const std::string& kind, std::ostream& out) {
  const std::string folder = cache_folder();
  if (folder.empty()) throw InputError("--forget " + kind + ": there is no cache");
  std::vector<std::string> kinds;
  for (const CacheContents& contents : cache_contents(folder)) kinds.push_back(contents.kind);
  if (std::find(kinds.begin(), kinds.end(), kind) == kinds.end()) {
    throw InputError(fmt::format("--forget {}: {} has no such entries{}", kind, folder,
                                 kinds.empty() ? "; it is empty" : " " + json::suggestion(kind, kinds, "available")));
  }
  const std::int64_t files = clear_cache(folder, kind);
  out << "forgot the " << kind << " of " << printable(folder) << ": " << counted(files, "file")
      << "; they will be timed again when needed\n";
  return exit_code::ok;
}

}  // namespace

int env_command(const Arguments& arguments, std::ostream& out) {
  if (!arguments.forget.empty()) return forget(arguments.forget, out);
  Grid grid({Grid::Align::left, Grid::Align::left});
  add(grid, "", describe_environment());
  add_cache(grid);
  add_installed(grid);
  out << grid.text(0);
  return exit_code::ok;
}

}  // namespace ddlbench::bench
