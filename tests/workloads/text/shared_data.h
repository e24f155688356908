#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace ddlbench::test {

/// Returns the folder of real data sets, which are optional for tests: the value of DDLBENCH_DATA, else shared/data
/// beside the source tree or beside the working directory. Empty where there is none.
inline std::string shared_data() {
  namespace fs = std::filesystem;
  if (const char* named = std::getenv("DDLBENCH_DATA")) return named;
  for (fs::path start : {fs::path(__FILE__), fs::current_path() / "here"}) {
    for (fs::path folder = fs::absolute(start).parent_path(); folder != folder.root_path();
         folder = folder.parent_path()) {
      const fs::path data = folder.parent_path() / "shared/data";
      std::error_code ignored;
      if (fs::exists(folder / "CMakePresets.json", ignored) && fs::is_directory(data, ignored)) return data.string();
    }
  }
  return {};
}

}  // namespace ddlbench::test
