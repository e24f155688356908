#include "workloads/datasets/gzip_file.h"

#include <fmt/core.h>
#include <isa-l/igzip_lib.h>
#include <algorithm>
#include <array>

#include "workloads/dataset.h"

namespace ddlbench::workloads {
namespace {

constexpr std::int64_t inflate_chunk_bytes = std::int64_t{1} << 20;
constexpr std::array<std::uint8_t, 2> gzip_magic = {0x1F, 0x8B};

bool starts_with_magic(const DataFile& file) {
  if (file.bytes() < static_cast<std::int64_t>(gzip_magic.size())) return false;
  std::array<std::uint8_t, 2> found{};
  file.read(0, found.data(), static_cast<std::int64_t>(found.size()));
  return found == gzip_magic;
}

/// Returns what is wrong, where isal_inflate() returned an error.
const char* reason(int code) {
  switch (code) {
    case ISAL_INVALID_BLOCK:
      return "invalid block";
    case ISAL_INVALID_SYMBOL:
      return "invalid symbol";
    case ISAL_INVALID_LOOKBACK:
      return "invalid distance too far back";
    case ISAL_INVALID_WRAPPER:
      return "invalid header";
    case ISAL_UNSUPPORTED_METHOD:
      return "unknown compression method";
    case ISAL_INCORRECT_CHECKSUM:
      return "incorrect data check";
    case ISAL_NEED_DICT:
      return "a dictionary is needed";
    default:
      return "unknown error";
  }
}

}  // namespace

struct GzipFile::Inflater {
  Inflater() : input(inflate_chunk_bytes) {
    isal_inflate_init(&state);
    state.crc_flag = ISAL_GZIP;
  }

  inflate_state state{};
  std::vector<std::uint8_t> input;
};

GzipFile::GzipFile(const std::string& path) : file_(path) {
  if (starts_with_magic(file_)) inflater_ = std::make_unique<Inflater>();
}

GzipFile::~GzipFile() = default;

std::size_t GzipFile::read(std::uint8_t* to, std::size_t bytes) {
  if (!inflater_) return read_plain(to, bytes);
  std::size_t done = 0;
  while (done < bytes) {
    const std::size_t got = inflate(to + done, bytes - done);
    if (got == 0) break;
    done += got;
  }
  return done;
}

std::size_t GzipFile::read_plain(std::uint8_t* to, std::size_t bytes) {
  const std::int64_t count = std::min(static_cast<std::int64_t>(bytes), file_.bytes() - position_);
  file_.read(position_, to, count);
  position_ += count;
  return static_cast<std::size_t>(count);
}

std::size_t GzipFile::inflate(std::uint8_t* to, std::size_t bytes) {
  inflate_state& state = inflater_->state;
  const auto wanted = static_cast<std::uint32_t>(std::min(static_cast<std::int64_t>(bytes), inflate_chunk_bytes));
  for (;;) {
    if (state.block_state == ISAL_BLOCK_FINISH && !next_member()) return 0;
    const bool had_input = feed();
    state.next_out = to;
    state.avail_out = wanted;
    const int code = isal_inflate(&state);
    const std::size_t got = wanted - state.avail_out;
    unpacked_ += got;
    if (code != ISAL_DECOMP_OK) {
      throw BadData(
          fmt::format("{}: corrupt gzip data after {} unpacked bytes: {}", file_.path(), unpacked_, reason(code)));
    }
    if (got > 0) return got;
    if (!had_input && state.block_state != ISAL_BLOCK_FINISH) {
      throw BadData(
          fmt::format("{}: truncated: the gzip stream ends after {} unpacked bytes, in the middle of its data",
                      file_.path(), unpacked_));
    }
  }
}

bool GzipFile::feed() {
  inflate_state& state = inflater_->state;
  if (state.avail_in > 0) return true;
  const std::int64_t count = std::min(inflate_chunk_bytes, file_.bytes() - position_);
  file_.read(position_, inflater_->input.data(), count);
  position_ += count;
  state.next_in = inflater_->input.data();
  state.avail_in = static_cast<std::uint32_t>(count);
  return count > 0;
}

bool GzipFile::next_member() {
  inflate_state& state = inflater_->state;
  const std::int64_t begin = position_ - state.avail_in;
  if (file_.bytes() - begin < static_cast<std::int64_t>(gzip_magic.size())) return false;
  std::array<std::uint8_t, 2> found{};
  file_.read(begin, found.data(), static_cast<std::int64_t>(found.size()));
  if (found != gzip_magic) return false;
  isal_inflate_reset(&state);
  return true;
}

}  // namespace ddlbench::workloads
