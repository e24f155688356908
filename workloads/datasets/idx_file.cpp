#include "workloads/datasets/idx_file.h"

#include <fmt/core.h>
#include <algorithm>
#include <array>

#include "base/hash.h"
#include "workloads/dataset.h"
#include "workloads/datasets/gzip_file.h"

namespace ddlbench::workloads {
namespace {

constexpr std::size_t read_chunk_bytes = std::size_t{1} << 18;
constexpr std::uint8_t unsigned_byte = 0x08;

std::vector<std::int64_t> read_header(GzipFile& reader, const std::string& path, int least_rank) {
  std::array<std::uint8_t, 4> magic{};
  if (reader.read(magic.data(), magic.size()) != magic.size()) {
    throw BadData(path + ": truncated: it is shorter than the 4 bytes that an idx file begins with");
  }
  const std::string found = hexadecimal(magic);
  if (magic[0] != 0 || magic[1] != 0 || magic[2] != unsigned_byte) {
    throw BadData(
        fmt::format("{}: not an idx file of unsigned bytes: it begins with 0x{} instead of 0x000008..", path, found));
  }
  if (magic[3] < least_rank) {
    throw BadData(fmt::format("{}: has {} dimensions (magic 0x{}), but at least {} are needed", path, magic[3], found,
                              least_rank));
  }
  std::vector<std::int64_t> dimensions;
  for (int i = 0; i < magic[3]; ++i) {
    std::array<std::uint8_t, 4> bytes{};
    if (reader.read(bytes.data(), bytes.size()) != bytes.size()) {
      throw BadData(fmt::format("{}: truncated in its header, at dimension {}", path, i));
    }
    const std::uint32_t size = (std::uint32_t{bytes[0]} << 24) | (std::uint32_t{bytes[1]} << 16) |
                               (std::uint32_t{bytes[2]} << 8) | std::uint32_t{bytes[3]};
    if (size == 0) throw BadData(fmt::format("{}: dimension {} is 0", path, i));
    dimensions.push_back(size);
  }
  return dimensions;
}

std::int64_t bytes_of_item(const std::string& path, const std::vector<std::int64_t>& dimensions) {
  constexpr std::int64_t largest = std::int64_t{1} << 30;
  std::int64_t bytes = 1;
  for (std::size_t i = 1; i < dimensions.size(); ++i) {
    bytes *= dimensions[i];  // both factors are below 2^32
    if (bytes > largest) throw BadData(fmt::format("{}: an item has more than {} bytes", path, largest));
  }
  return bytes;
}

/// Reads on, at most 1 GiB: if compressed data are corrupt, their checksum at the end shows it.
void require_sound(GzipFile& reader) {
  std::vector<std::uint8_t> rest(read_chunk_bytes);
  for (int chunks = 4096; chunks > 0 && reader.read(rest.data(), rest.size()) == rest.size(); --chunks) {
  }
}

}  // namespace

IdxFile read_idx(const std::string& path, int least_rank, std::int64_t limit) {
  GzipFile reader(path);
  IdxFile file{path, read_header(reader, path, least_rank), {}, 0};
  const std::int64_t item = bytes_of_item(path, file.dimensions);
  const bool whole = limit == 0 || limit >= file.dimensions[0];
  file.items = whole ? file.dimensions[0] : limit;
  if (file.items > most_held_bytes / item) {
    throw BadData(
        fmt::format("{}: {} items of {} bytes are more than the {} bytes that are kept in memory: its header is "
                    "damaged, or use fewer samples (train_samples, validation_samples)",
                    path, file.items, item, most_held_bytes));
  }
  const auto wanted = static_cast<std::size_t>(file.items * item);
  // A corrupt header may promise more than fits in memory. Chunks are so small that a cache still has them when they
  // are filled.
  constexpr std::int64_t usual_ratio = 8;  // of unpacked to packed bytes, at most
  file.elements.reserve(std::min(wanted, static_cast<std::size_t>(usual_ratio * reader.file_bytes())));
  while (file.elements.size() < wanted) {
    const std::size_t had = file.elements.size();
    const std::size_t more = std::min(wanted - had, read_chunk_bytes);
    file.elements.resize(had + more);
    const std::size_t got = reader.read(file.elements.data() + had, more);
    if (got != more) {
      throw BadData(
          fmt::format("{}: truncated: its header says {} items of {} bytes, but it ends after {} bytes of data", path,
                      file.dimensions[0], item, had + got));
    }
  }
  std::uint8_t beyond = 0;
  if (whole && reader.read(&beyond, 1) != 0) {
    require_sound(reader);
    throw BadData(fmt::format("{}: has extra bytes after the {} items that its header declares", path, file.items));
  }
  return file;
}

}  // namespace ddlbench::workloads
