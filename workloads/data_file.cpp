#include "workloads/data_file.h"

#include <algorithm>
#include <vector>

#include "base/hash.h"
#include "workloads/dataset.h"

namespace ddlbench::workloads {
namespace {

void throw_bad_data(const std::string& what) {
  throw BadData(what);
}

}  // namespace

DataFile::DataFile() : InputFile(throw_bad_data) {}

DataFile::DataFile(const std::string& path) : DataFile() {
  open(path);
}

std::uint64_t DataFile::hash(std::int64_t begin) const {
  constexpr std::int64_t block = 1 << 20;
  std::vector<char> read_now(static_cast<std::size_t>(std::clamp<std::int64_t>(bytes() - begin, 0, block)));
  std::uint64_t hash = fnv1a({});
  for (std::int64_t at = begin; at < bytes(); at += block) {
    const std::int64_t count = std::min(block, bytes() - at);
    read(at, read_now.data(), count);
    hash = fnv1a({read_now.data(), static_cast<std::size_t>(count)}, hash);
  }
  return hash;
}

}  // namespace ddlbench::workloads
