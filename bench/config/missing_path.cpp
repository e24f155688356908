#include "bench/config/missing_path.h"

#include <filesystem>

namespace ddlbench::bench {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string in_full(const fs::path& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return error ? path.string() : absolute.lexically_normal().string();
}

}  // namespace

std::string missing_path_note(const std::string& path, const std::string& configuration) {
  if (path.empty() || fs::path(path).is_absolute() || is_there(path)) return "";
  std::string note = "; a relative path starts at the current folder, so ddlbench looked for " + in_full(path);
  const fs::path beside = fs::path(configuration).parent_path() / path;
  if (is_there(beside)) note += "; there is one next to the configuration: use " + in_full(beside);
  return note;
}

std::string missing_path_note(const Choice& choice, const std::string& configuration) {
  std::string notes;
  for (const char* option : {"file", "path", "vocabulary"}) {
    const auto named = choice.options.find(option);
    if (named == choice.options.end()) continue;
    if (const auto* path = std::get_if<std::string>(&named->second)) notes += missing_path_note(*path, configuration);
  }
  return notes;
}

std::string note_of_installed(const std::string& configuration, const std::string& data_folder) {
  const fs::path configs = fs::path(data_folder) / "configs";
  if (data_folder.empty() || is_there(configuration)) return "";
  for (const fs::path& name : {fs::path(configuration), fs::path(configuration).filename()}) {
    if (name.is_relative() && !name.empty() && is_there(configs / name)) {
      return "; one of that name was installed: " + (configs / name).string();
    }
  }
  return "";
}

}  // namespace ddlbench::bench
