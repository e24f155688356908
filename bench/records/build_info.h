#pragma once

namespace ddlbench::bench {

/// The sources and tools that this binary was built from. CMake writes them at each build (cmake/BuildInfo.cmake).
struct BuildInfo {
  const char* version;
  const char* git_commit;  ///< empty outside a repository
  bool git_dirty;          ///< whether tracked files differed from the commit
  const char* compiler;
  const char* flags;
  const char* build_type;
  const char* sanitizers;
};

extern const BuildInfo build_info;

}  // namespace ddlbench::bench
