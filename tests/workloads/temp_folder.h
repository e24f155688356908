#pragma once

#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>

namespace ddlbench::workloads {

/// A folder of this test alone, gone with it.
class TempFolder {
 public:
  TempFolder() {
    static std::atomic<int> made{0};
    path_ = std::filesystem::temp_directory_path() /
            ("ddlbench-workloads-" + std::to_string(getpid()) + "-" + std::to_string(made++));
    std::filesystem::create_directories(path_);
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace ddlbench::workloads
