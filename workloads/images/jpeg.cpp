#include "workloads/images/jpeg.h"

#include <jerror.h>

#include <algorithm>

#include "base/error.h"

namespace ddlbench::workloads {
namespace {

/// Returns a·b / 255, rounded: Pillow's MULDIV255.
inline int scaled(int a, int b) {
  const int product = a * b + 128;
  return ((product >> 8) + product) >> 8;
}

/// Converts inverted CMYK to RGB by Pillow's formula: each ink times black.
void cmyk_to_rgb(const std::uint8_t* from, int pixels, std::uint8_t* to) {
  for (int x = 0; x < pixels; ++x, from += 4, to += 3) {
    const int light = from[3];
    for (int c = 0; c < 3; ++c) to[c] = static_cast<std::uint8_t>(light - scaled(255 - from[c], light));
  }
}

}  // namespace

JpegReader::JpegReader() {
  info_.err = jpeg_std_error(&errors_.base);
  errors_.base.error_exit = fail;
  errors_.base.emit_message = warn;
  errors_.base.output_message = say_nothing;
  progress_.progress_monitor = count_scans;
  create();
}

void JpegReader::create() {
  const bool created = guarded([this] { jpeg_create_decompress(&info_); });
  require(created, "libjpeg cannot be used: its version differs from the compiled header's");
  info_.progress = &progress_;
}

JpegReader::~JpegReader() {
  jpeg_destroy_decompress(&info_);
}

void JpegReader::fail(j_common_ptr info) {
  auto* errors = reinterpret_cast<Errors*>(info->err);
  info->err->format_message(info, errors->text);
  std::longjmp(errors->jump, 1);
}

/// Ends the decoding of an image with very many scans. Each takes time for all blocks, even if it has only a few bytes.
void JpegReader::count_scans(j_common_ptr info) {
  constexpr int most_scans = 100;  // usual are up to ten
  if (!info->is_decompressor || reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= most_scans) return;
  std::snprintf(reinterpret_cast<Errors*>(info->err)->text, JMSG_LENGTH_MAX, "more than %d scans", most_scans);
  std::longjmp(reinterpret_cast<Errors*>(info->err)->jump, 1);
}

/// Treats libjpeg's warnings as errors, because it continues with made-up pixels. The three exceptions do not affect
/// pixels.
void JpegReader::warn(j_common_ptr info, int level) {
  if (level >= 0) return;
  const int code = info->err->msg_code;
  if (code != JWRN_EXTRANEOUS_DATA && code != JWRN_ADOBE_XFORM && code != JWRN_JFIF_MAJOR) fail(info);
}

/// Runs `body`. Returns false where libjpeg jumped out of it; `body` must therefore hold nothing that needs a
/// destructor.
template <class Body>
bool JpegReader::guarded(const Body& body) {
  if (setjmp(errors_.jump) != 0) {
    if (info_.mem) jpeg_abort_decompress(&info_);
    return false;
  }
  body();
  return true;
}

bool JpegReader::is_jpeg(const std::uint8_t* bytes, std::size_t count) {
  return count >= 3 && bytes[0] == 0xFF && bytes[1] == 0xD8 && bytes[2] == 0xFF;
}

bool JpegReader::open(const std::uint8_t* bytes, std::size_t count) {
  // A decompressor keeps the tables of the previous image for a file that lacks its own.
  jpeg_destroy_decompress(&info_);
  create();
  return guarded([&] {
    jpeg_mem_src(&info_, bytes, static_cast<unsigned long>(count));
    jpeg_read_header(&info_, TRUE);
  });
}

ImageSize JpegReader::size() const {
  return {static_cast<int>(info_.image_width), static_cast<int>(info_.image_height)};
}

bool JpegReader::decode(const Region& region, int reduction, std::vector<std::uint8_t>& buffer, Decoded& result) {
  const bool inks = info_.num_components == 4;
  info_.out_color_space = inks ? JCS_CMYK : JCS_RGB;
  info_.scale_num = 1;
  info_.scale_denom = static_cast<unsigned>(reduction);
  Region wanted{};
  const bool started = guarded([&] {
    jpeg_start_decompress(&info_);
    const int width = static_cast<int>(info_.output_width), height = static_cast<int>(info_.output_height);
    result.image = {width, height};
    result.reduction = reduction;
    wanted = reduced(region, reduction, result.image);
    // Chroma upsampling reads neighbouring pixels, so the crop includes some on both sides.
    constexpr int neighbours = 2 * DCTSIZE;
    JDIMENSION left = static_cast<JDIMENSION>(std::max(0, wanted.left - neighbours));
    JDIMENSION cut_width = static_cast<JDIMENSION>(std::min(width, wanted.left + wanted.width + neighbours)) - left;
    if (cut_width < info_.output_width) jpeg_crop_scanline(&info_, &left, &cut_width);
    wanted.left = static_cast<int>(left);
    wanted.width = static_cast<int>(info_.output_width);
  });
  if (!started) return false;

  const std::size_t stride = static_cast<std::size_t>(wanted.width) * 3;
  constexpr std::size_t behind = 16;  // see Pixels
  const std::size_t needed = stride * static_cast<std::size_t>(wanted.height) + behind;
  if (buffer.size() < needed) buffer.resize(needed);
  if (spare_.size() < stride / 3 * 4) spare_.resize(stride / 3 * 4);
  result.pixels = {buffer.data(), wanted.width, wanted.height, stride};
  result.region = wanted;
  return guarded([&] {
    read_rows(wanted, buffer.data(), stride);
    jpeg_finish_decompress(&info_);
  });
}

/// Reads the rows of `wanted`. Other rows are skipped, but to the end of the image, so that damage is found.
void JpegReader::read_rows(const Region& wanted, std::uint8_t* to, std::size_t stride) {
  const bool inks = info_.out_color_space == JCS_CMYK;
  const auto top = static_cast<JDIMENSION>(wanted.top);
  const auto bottom = static_cast<JDIMENSION>(wanted.top + wanted.height);
  JSAMPROW spare = spare_.data();
  if (top > 0) jpeg_skip_scanlines(&info_, top);
  for (; info_.output_scanline < bottom; to += stride) {
    JSAMPROW row = inks ? spare : to;
    if (jpeg_read_scanlines(&info_, &row, 1) != 1) ERREXIT(&info_, JERR_CANT_SUSPEND);
    if (inks) cmyk_to_rgb(spare, wanted.width, to);
  }
  // Skipping the last row, too, would leave the remaining data unread.
  const JDIMENSION last = info_.output_height - 1;
  if (info_.output_scanline < last) jpeg_skip_scanlines(&info_, last - info_.output_scanline);
  if (info_.output_scanline == last) jpeg_read_scanlines(&info_, &spare, 1);
}

}  // namespace ddlbench::workloads
