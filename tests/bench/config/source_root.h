#pragma once

#include <filesystem>

#include "base/error.h"

namespace ddlbench::bench {

/// Returns the root of the source tree: above this file, or, if the compiler was given relative paths, above the folder
/// in which the tests run. Throws ContractError if neither is inside the tree.
inline std::filesystem::path source_root() {
  namespace fs = std::filesystem;
  for (fs::path start : {fs::path(__FILE__), fs::current_path()}) {
    for (fs::path folder = fs::absolute(start).parent_path(); folder != folder.root_path();
         folder = folder.parent_path()) {
      if (fs::exists(folder / "configs/quickstart.json")) return folder;
    }
  }
  throw ContractError("the tests run outside the sources' folder");
}

}  // namespace ddlbench::bench
