#include "bench/compare/scratch_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"

namespace ddlbench::bench {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder() {
  std::error_code error;
  path_ = (fs::temp_directory_path(error) / "ddlbench-XXXXXX").string();
  if (error || ::mkdtemp(path_.data()) == nullptr)
    throw InputError("cannot create a temporary folder: " + std::string(std::strerror(errno)) +
                     "; set TMPDIR, or name a folder with --output");
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace ddlbench::bench
