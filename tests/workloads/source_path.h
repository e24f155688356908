#pragma once

#include <filesystem>

#include "base/error.h"

namespace ddlbench::workloads {

/// The root of the sources, whether the compiler was given absolute paths or the tests run within the sources.
inline std::filesystem::path source_root() {
  namespace fs = std::filesystem;
  for (const fs::path& start : {fs::path(__FILE__), fs::current_path()}) {
    for (fs::path folder = fs::absolute(start).parent_path(); folder != folder.root_path();
         folder = folder.parent_path()) {
      if (fs::exists(folder / "configs/quickstart.json")) return folder;
    }
  }
  throw ContractError("the tests run outside the sources' folder");
}

}  // namespace ddlbench::workloads
