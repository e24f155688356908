#include "workloads/text/token_cache.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fmt/core.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/hash.h"
#include "workloads/dataset.h"

namespace ddlbench::workloads {
namespace {

constexpr char magic[17] = "ddlbench tokens\n";

struct Header {
  char begins[16] = {};
  std::uint32_t version = 2;
  std::uint32_t width = 0;
  std::uint64_t count = 0;
  TokenSource source;
  std::uint64_t hash = fnv1a({});  ///< of the tokens' bytes
};
static_assert(sizeof(Header) == 72);

std::uint32_t width_of(const TokenSource& source) {
  return source.vocabulary <= 0x10000 ? 2 : 4;
}

/// A temporary file beside `path` that keep() renames to `path`. Otherwise it is deleted with this object.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path) : path_(path), temporary_(path + ".XXXXXX") {
    const int descriptor = ::mkstemp(temporary_.data());
    if (descriptor < 0) fail(errno);
    file_ = ::fdopen(descriptor, "wb");
    if (file_ == nullptr) {
      const int error = errno;
      ::close(descriptor);
      ::unlink(temporary_.c_str());
      fail(error);
    }
  }
  ~AtomicFile() {
    if (file_ == nullptr) return;
    std::fclose(file_);
    ::unlink(temporary_.c_str());
  }
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(const void* data, std::size_t bytes) {
    if (std::fwrite(data, 1, bytes, file_) != bytes) fail(errno);
  }

  /// Overwrites the beginning of the file.
  void overwrite(const void* data, std::size_t bytes) {
    if (std::fseek(file_, 0, SEEK_SET) != 0) fail(errno);
    write(data, bytes);
  }

  void keep() {
    if (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0) fail(errno);
    if (::fchmod(::fileno(file_), 0644) != 0 || std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
    std::fclose(file_);
    file_ = nullptr;
  }

 private:
  [[noreturn]] void fail(int error) const {
    throw BadData(
        fmt::format("{}: tokens cannot be written: {}; set the option cache to a writable file, or leave it out to "
                    "keep tokens in memory",
                    path_, std::strerror(error)));
  }

  std::string path_;
  std::string temporary_;
  std::FILE* file_ = nullptr;
};

template <class Number>
void write_file(const std::string& path, Header header, const std::vector<std::int32_t>& tokens) {
  constexpr std::size_t block = 1 << 16;
  AtomicFile file(path);
  file.write(&header, sizeof header);
  for (std::size_t begin = 0; begin < tokens.size(); begin += block) {
    const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(begin);
    const std::vector<Number> numbers(first,
                                      first + static_cast<std::ptrdiff_t>(std::min(block, tokens.size() - begin)));
    const std::string_view bytes(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number));
    header.hash = fnv1a(bytes, header.hash);
    file.write(bytes.data(), bytes.size());
  }
  file.overwrite(&header, sizeof header);
  file.keep();
}

}  // namespace

std::optional<Tokens> read_token_cache(const std::string& path, const TokenSource& source) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return std::nullopt;
  const auto file = std::make_shared<const DataFile>(path);
  Header header;
  const bool has_header = file->bytes() >= static_cast<std::int64_t>(sizeof header);
  if (has_header) file->read(0, &header, sizeof header);
  if (!has_header || std::string_view(header.begins, sizeof header.begins) != magic) {
    throw BadData(path + ": is not a token file written by ddlbench; name another in the option cache");
  }
  if (header.version != Header{}.version || !(header.source == source) || header.width != width_of(source)) {
    return std::nullopt;
  }
  const std::uint64_t bytes = static_cast<std::uint64_t>(file->bytes()) - sizeof header;
  if (bytes % header.width != 0 || header.count != bytes / header.width) return std::nullopt;
  if (file->hash(sizeof header) != header.hash) {
    throw BadData(path +
                  ": its tokens were changed since they were written (the checksum differs): the file is damaged; "
                  "delete it, and ddlbench creates it again");
  }
  return Tokens(file, sizeof header, static_cast<std::int64_t>(header.count), static_cast<int>(header.width));
}

void write_token_cache(const std::string& path, const TokenSource& source, const std::vector<std::int32_t>& tokens) {
  Header header;
  std::memcpy(header.begins, magic, sizeof header.begins);
  header.width = width_of(source);
  header.count = tokens.size();
  header.source = source;
  header.width == 2 ? write_file<std::uint16_t>(path, header, tokens) : write_file<std::uint32_t>(path, header, tokens);
}

}  // namespace ddlbench::workloads
