#pragma once

#include <filesystem>
#include <fstream>
#include <string>

namespace ddlbench::test {

/// Writes a program that bash runs, which stands for one of Slurm.
inline void write_program(const std::string& path, const std::string& commands) {
  std::ofstream(path) << "#!/bin/bash\n" << commands << '\n';
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
}

}  // namespace ddlbench::test
