#pragma once

#include <string>

namespace ddlbench::bench {

/// The sources and tools that this binary was built from. CMake writes them at each build (cmake/BuildInfo.cmake).
struct BuildInfo {
  const char* version;
  const char* git_commit;  ///< empty outside a repository of ddlbench
  bool git_dirty;          ///< whether tracked files differed from the commit
  const char* compiler;
  const char* flags;
  const char* build_type;
  const char* sanitizers;
  const char* data_folder;  ///< where data files are installed, seen from the folder of the program
};

extern const BuildInfo build_info;

/// Version and commit: "0.1.0 (commit 0123456789ab, with changes)".
std::string describe(const BuildInfo& info);

}  // namespace ddlbench::bench
