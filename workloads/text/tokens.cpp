#include "workloads/text/tokens.h"

#include <algorithm>
#include <bit>

#include "graph/error.h"

namespace ddlbench::workloads {
namespace {

static_assert(std::endian::native == std::endian::little, "token files are little-endian, and mapped as they are");

template <class Number>
void copy_of(const void* data, std::int64_t first, std::int64_t count, std::int32_t* to) {
  const auto* from = static_cast<const Number*>(data) + first;
  std::transform(from, from + count, to, [](Number token) { return static_cast<std::int32_t>(token); });
}

}  // namespace

Tokens::Tokens(std::shared_ptr<const MappedFile> file)
    : holder_(file), data_(file->text().data()), size_(static_cast<std::int64_t>(file->text().size())), width_(1) {}

Tokens::Tokens(std::vector<std::int32_t> tokens) : size_(static_cast<std::int64_t>(tokens.size())), width_(4) {
  const auto held = std::make_shared<const std::vector<std::int32_t>>(std::move(tokens));
  data_ = held->data();
  holder_ = held;
}

Tokens::Tokens(std::shared_ptr<const MappedFile> file, std::size_t begin, std::int64_t count, int width)
    : holder_(file), data_(file->text().data() + begin), size_(count), width_(width) {
  require(width == 2 || width == 4, "tokens have 2 or 4 bytes");
  require(begin % static_cast<std::size_t>(width) == 0, "tokens must be aligned");
  require(begin + static_cast<std::size_t>(count * width) <= file->text().size(),
          "tokens beyond the end of their file");
}

void Tokens::copy(std::int64_t first, std::int64_t count, std::int32_t* to) const {
  require(first >= 0 && count >= 0 && first + count <= size_, "tokens outside the text");
  if (width_ == 1) return copy_of<std::uint8_t>(data_, first, count, to);
  if (width_ == 2) return copy_of<std::uint16_t>(data_, first, count, to);
  copy_of<std::uint32_t>(data_, first, count, to);
}

}  // namespace ddlbench::workloads
