#include "workloads/text/tokens.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"

namespace ddlbench::workloads {
namespace {

static_assert(std::endian::native == std::endian::little, "token files are little-endian, and read without conversion");

/// Widens `count` numbers, which occupy the end of `tokens`, in place to all of `tokens`. Goes from first to last, so
/// that none is overwritten before it is read.
template <class Number>
void widen(std::int64_t count, std::int32_t* tokens) {
  const char* const numbers =
      reinterpret_cast<const char*>(tokens + count) - count * static_cast<std::int64_t>(sizeof(Number));
  for (std::int64_t i = 0; i < count; ++i) {
    Number number;
    std::memcpy(&number, numbers + i * static_cast<std::int64_t>(sizeof number), sizeof number);
    tokens[i] = static_cast<std::int32_t>(number);
  }
}

}  // namespace

Tokens::Tokens(std::shared_ptr<const DataFile> file) : Tokens(file, 0, file->bytes(), 1) {}

Tokens::Tokens(std::vector<std::int32_t> tokens)
    : held_(std::make_shared<const std::vector<std::int32_t>>(std::move(tokens))),
      size_(static_cast<std::int64_t>(held_->size())) {}

Tokens::Tokens(std::shared_ptr<const DataFile> file, std::int64_t begin, std::int64_t count, int width)
    : file_(std::move(file)), begin_(begin), size_(count), width_(width) {
  require(width == 1 || width == 2 || width == 4, "tokens must have 1, 2 or 4 bytes");
  require(begin + count * width <= file_->bytes(), "tokens beyond the end of their file");
}

void Tokens::copy(std::int64_t first, std::int64_t count, std::int32_t* to) const {
  require(first >= 0 && count >= 0 && first + count <= size_, "tokens outside the text");
  if (file_ == nullptr) {
    std::copy_n(held_->data() + first, count, to);
    return;
  }
  const std::int64_t bytes = count * width_;
  file_->read(begin_ + first * width_, reinterpret_cast<char*>(to + count) - bytes, bytes);
  if (width_ == 1) widen<std::uint8_t>(count, to);
  if (width_ == 2) widen<std::uint16_t>(count, to);
}

}  // namespace ddlbench::workloads
