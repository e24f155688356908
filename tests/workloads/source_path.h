#pragma once

#include <filesystem>

#include "base/error.h"

namespace ddlbench::workloads {

/// Returns the root of the source tree. Found from this file's path, if the compiler was given an absolute one, or else
/// from the working directory.
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
