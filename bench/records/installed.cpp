#include "bench/records/installed.h"

#include <filesystem>

#include "bench/records/build_info.h"

namespace ddlbench::bench {

std::string installed_data_folder() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto folder = (program.parent_path() / build_info.data_folder).lexically_normal();
  return !error && std::filesystem::is_directory(folder, error) ? folder.string() : "";
}

}  // namespace ddlbench::bench
