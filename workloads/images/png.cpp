#include "workloads/images/png.h"

#include <cstdio>
#include <cstring>

namespace ddlbench::workloads {

bool PngReader::is_png(const std::uint8_t* bytes, std::size_t count) {
  return count >= 8 && png_sig_cmp(bytes, 0, 8) == 0;
}

void PngReader::fail(png_structp png, png_const_charp what) {
  auto* self = static_cast<PngReader*>(png_get_error_ptr(png));
  std::snprintf(self->text_, sizeof self->text_, "%s", what);
  png_longjmp(png, 1);
}

void PngReader::read(png_structp png, png_bytep to, std::size_t count) {
  auto* self = static_cast<PngReader*>(png_get_io_ptr(png));
  if (static_cast<std::size_t>(self->end_ - self->at_) < count) png_error(png, "premature end of the file");
  std::memcpy(to, self->at_, count);
  self->at_ += count;
}

/// Runs `body`. Returns false where libpng jumped out of it; `body` must therefore hold nothing that needs a
/// destructor.
template <class Body>
bool PngReader::guarded(const Body& body) {
  if (setjmp(png_jmpbuf(png_)) != 0) {
    close();
    return false;
  }
  body();
  return true;
}

bool PngReader::open(const std::uint8_t* bytes, std::size_t count) {
  close();
  at_ = bytes;
  end_ = bytes + count;
  std::snprintf(text_, sizeof text_,
                "libpng cannot be used: its version differs from the compiled header's, or memory is exhausted");
  png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, fail, say_nothing);
  if (!png_) return false;
  info_ = png_create_info_struct(png_);
  if (!info_) {
    close();
    return false;
  }
  return guarded([this] {
    png_set_read_fn(png_, this, read);
    png_read_info(png_, info_);
  });
}

ImageSize PngReader::size() const {
  return {static_cast<int>(png_get_image_width(png_, info_)), static_cast<int>(png_get_image_height(png_, info_))};
}

bool PngReader::decode(std::vector<std::uint8_t>& buffer, Decoded& result) {
  const ImageSize size = this->size();
  const std::size_t stride = static_cast<std::size_t>(size.width) * 3;
  const auto height = static_cast<std::size_t>(size.height);
  const bool set = guarded([&] {
    png_set_palette_to_rgb(png_);
    png_set_expand_gray_1_2_4_to_8(png_);
    png_set_strip_16(png_);
    png_set_strip_alpha(png_);
    png_set_gray_to_rgb(png_);
    png_set_interlace_handling(png_);
    png_read_update_info(png_, info_);
    if (png_get_rowbytes(png_, info_) != stride) png_error(png_, "it does not decode to 8-bit RGB");
  });
  if (!set) return false;

  constexpr std::size_t behind = 16;  // see Pixels
  if (buffer.size() < stride * height + behind) buffer.resize(stride * height + behind);
  rows_.resize(height);
  for (std::size_t y = 0; y < height; ++y) rows_[y] = buffer.data() + y * stride;
  const bool read = guarded([&] {
    png_read_image(png_, rows_.data());
    png_read_end(png_, nullptr);
  });
  if (!read) return false;
  close();
  result = {{buffer.data(), size.width, size.height, stride}, {0, 0, size.width, size.height}, size, 1};
  return true;
}

void PngReader::close() {
  if (png_) png_destroy_read_struct(&png_, &info_, nullptr);
  png_ = nullptr;
  info_ = nullptr;
}

}  // namespace ddlbench::workloads
