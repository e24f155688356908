#include "workloads/datasets/idx_file.h"

#include <fcntl.h>
#include <zlib.h>

#include <fmt/core.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/hash.h"
#include "workloads/data_file.h"
#include "workloads/dataset.h"

namespace ddlbench::workloads {
namespace {

constexpr std::size_t chunk_bytes = std::size_t{1} << 20;
constexpr std::uint8_t unsigned_byte = 0x08;

struct CloseGzip {
  void operator()(gzFile_s* file) const noexcept { gzclose(file); }
};

/// Returns a new descriptor of the file, which zlib closes.
int descriptor_of(const std::string& path) {
  const DataFile file(path);
  return ::fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 0);
}

/// Reads a plain or gzip file: zlib passes data through that does not begin with gzip's magic.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), file_(gzdopen(descriptor_of(path), "rb")) {
    if (!file_) throw BadData(fmt::format("{}: cannot be opened: {}", path_, std::strerror(errno)));
    gzbuffer(file_.get(), static_cast<unsigned>(chunk_bytes));
  }

  /// Reads up to `bytes` bytes and returns how many; fewer only at the end of the file.
  std::size_t read(std::uint8_t* to, std::size_t bytes) {
    std::size_t done = 0;
    while (done < bytes) {
      const auto wanted = static_cast<unsigned>(std::min(bytes - done, chunk_bytes));
      const int got = gzread(file_.get(), to + done, wanted);
      int code = Z_OK;
      const char* message = gzerror(file_.get(), &code);
      if (code == Z_ERRNO) throw BadData(fmt::format("{}: cannot be read: {}", path_, std::strerror(errno)));
      if (code == Z_BUF_ERROR) {
        throw BadData(
            fmt::format("{}: truncated: the gzip stream ends after {} unpacked bytes, in the middle of its data", path_,
                        read_ + done + positive(got)));
      }
      if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
        throw BadData(fmt::format("{}: corrupt gzip data after {} unpacked bytes: {}", path_, read_ + done, message));
      }
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    read_ += done;
    return done;
  }

 private:
  static std::size_t positive(int count) { return count > 0 ? static_cast<std::size_t>(count) : 0; }

  std::string path_;
  std::unique_ptr<gzFile_s, CloseGzip> file_;
  std::size_t read_ = 0;
};

std::vector<std::int64_t> read_header(Reader& reader, const std::string& path, int least_rank) {
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

}  // namespace

IdxFile read_idx(const std::string& path, int least_rank, std::int64_t limit) {
  Reader reader(path);
  IdxFile file{path, read_header(reader, path, least_rank), {}, 0};
  const std::int64_t item = bytes_of_item(path, file.dimensions);
  const bool whole = limit == 0 || limit >= file.dimensions[0];
  file.items = whole ? file.dimensions[0] : limit;
  const auto wanted = static_cast<std::size_t>(file.items * item);
  // Grows as data arrives, because a corrupt header may promise more than fits in memory.
  while (file.elements.size() < wanted) {
    const std::size_t had = file.elements.size();
    const std::size_t more = std::min(wanted - had, std::max(had, chunk_bytes));
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
    throw BadData(fmt::format("{}: has extra bytes after the {} items that its header declares", path, file.items));
  }
  return file;
}

}  // namespace ddlbench::workloads
