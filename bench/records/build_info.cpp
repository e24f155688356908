#include "bench/records/build_info.h"

#include <fmt/core.h>

namespace ddlbench::bench {

std::string describe(const BuildInfo& info) {
  constexpr std::size_t short_commit = 12;
  const std::string commit = std::string(info.git_commit).substr(0, short_commit);
  if (commit.empty()) return std::string(info.version) + " (commit unknown: built outside a git repository)";
  return fmt::format("{} (commit {}{}", info.version, commit, info.git_dirty ? ", with changes)" : ")");
}

}  // namespace ddlbench::bench
