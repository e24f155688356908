#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "temporary_folder.h"

namespace ddlbench::test {

/// Fake files of /proc and /sys.
class FakeMachine {
 public:
  void put(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = folder_.path() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  const std::string& root() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
};

}  // namespace ddlbench::test
