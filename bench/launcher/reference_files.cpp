#include "bench/launcher/reference_files.h"

#include <fmt/core.h>
#include <filesystem>

namespace ddlbench::bench {

ReferenceFiles::ReferenceFiles(std::string folder, const std::vector<Case>& cases, const KeptCases& kept)
    : folder_(std::move(folder)) {
  for (const Case& which : cases) {
    if (which.can_run() && !kept.contains(which.id)) ++left_[which.contract_id];
  }
}

ReferenceFiles::~ReferenceFiles() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string ReferenceFiles::file_for(const Case& which) {
  const bool shared = left_[which.contract_id] > 1 || shared_.contains(which.contract_id);
  if (shared) shared_.insert(which.contract_id);
  return shared ? file_of(which) : "";
}

void ReferenceFiles::end(const Case& which) {
  if (--left_[which.contract_id] > 0) return;
  std::error_code ignored;
  std::filesystem::remove(file_of(which), ignored);
}

std::string ReferenceFiles::file_of(const Case& which) const {
  return fmt::format("{}/{}", folder_, which.contract_id);
}

}  // namespace ddlbench::bench
