#include "workloads/images/decode.h"

#include <fmt/core.h>

#include "base/error.h"
#include "workloads/data_file.h"
#include "workloads/dataset.h"
#include "workloads/images/jpeg.h"
#include "workloads/images/png.h"

namespace ddlbench::workloads {

struct Decoder::State {
  [[noreturn]] void refuse(const std::string& what) {
    opened = Kind::none;
    throw BadData(fmt::format("{}: {}", name, what));
  }

  enum class Kind : std::uint8_t { none, jpeg, png };
  Kind opened = Kind::none;
  std::string name;
  DataFile file;
  ImageSize size;
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint8_t> pixels;
  JpegReader jpeg;
  PngReader png;
};

Decoder::Decoder() : state_(std::make_unique<State>()) {}

Decoder::~Decoder() = default;

ImageSize Decoder::open(const std::string& path) {
  State& s = *state_;
  s.file.open(path);
  s.name = path;
  if (s.file.bytes() > max_image_bytes) {
    s.refuse(
        fmt::format("a file of {} bytes, more than the {} that an image may have", s.file.bytes(), max_image_bytes));
  }
  const auto count = static_cast<std::size_t>(s.file.bytes());
  if (s.bytes.size() < count) s.bytes.resize(count);
  s.file.read(0, s.bytes.data(), s.file.bytes());
  s.file.close();
  return open(path, s.bytes.data(), count);
}

ImageSize Decoder::open(const std::string& name, const std::uint8_t* bytes, std::size_t count) {
  State& s = *state_;
  s.name = name;
  s.jpeg.close();
  s.png.close();
  if (count == 0) s.refuse("an empty file, not an image");
  if (JpegReader::is_jpeg(bytes, count)) {
    if (!s.jpeg.open(bytes, count)) s.refuse(std::string("not a JPEG image that can be read: ") + s.jpeg.message());
    s.opened = State::Kind::jpeg;
    s.size = s.jpeg.size();
  } else if (PngReader::is_png(bytes, count)) {
    if (!s.png.open(bytes, count)) s.refuse(std::string("not a PNG image that can be read: ") + s.png.message());
    s.opened = State::Kind::png;
    s.size = s.png.size();
  } else {
    s.refuse("neither JPEG nor PNG: its first bytes belong to another format");
  }
  const auto extent = [&s] { return fmt::format("{}x{}", s.size.width, s.size.height); };
  if (s.size.width <= 0 || s.size.height <= 0) s.refuse("an image of " + extent() + " pixels");
  if (std::int64_t{s.size.width} * s.size.height > max_image_pixels) {
    s.refuse(fmt::format("an image of {} pixels, more than the {} that can be decoded; make it smaller", extent(),
                         max_image_pixels));
  }
  return s.size;
}

Decoded Decoder::decode(const Region& region, int reduction) {
  State& s = *state_;
  require(s.opened != State::Kind::none, "decoder: no image is open, or it has been decoded");
  require(reduction == 1 || reduction == 2 || reduction == 4 || reduction == 8, "decoder: a reduction is 1, 2, 4 or 8");
  require(region.left >= 0 && region.top >= 0 && region.width > 0 && region.height > 0 &&
              region.width <= s.size.width - region.left && region.height <= s.size.height - region.top,
          "decoder: a region must lie in the image");
  Decoded result;
  const bool is_jpeg = s.opened == State::Kind::jpeg;
  const bool done = is_jpeg ? s.jpeg.decode(region, reduction, s.pixels, result) : s.png.decode(s.pixels, result);
  if (!done) s.refuse(std::string("corrupt image data: ") + (is_jpeg ? s.jpeg.message() : s.png.message()));
  s.opened = State::Kind::none;
  return result;
}

Decoded Decoder::decode() {
  return decode({0, 0, state_->size.width, state_->size.height});
}

}  // namespace ddlbench::workloads
