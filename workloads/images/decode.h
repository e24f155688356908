#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/images/image.h"

namespace ddlbench::workloads {

/// The largest image to decode: Pillow's MAX_IMAGE_PIXELS, a quarter of a GiB of RGB. Larger ones are rejected before
/// memory is allocated.
constexpr std::int64_t max_image_pixels = 89'478'485;
/// The largest file of an image: as many bytes as so many pixels have.
constexpr std::int64_t max_image_bytes = 3 * max_image_pixels;

/// A decoded part of an image.
struct Decoded {
  Pixels pixels;
  Region region;      ///< place of `pixels` in the decoded image; contains the requested region
  ImageSize image;    ///< size of the whole decoded image, smaller than in the file if reduced
  int reduction = 1;  ///< file size / decoded size per dimension, up to rounding
};

/// Decodes JPEG (baseline, progressive; grey, YCbCr, RGB, CMYK, YCCK) and PNG (every depth and colour type) to 8-bit
/// RGB. The format is recognised by the first bytes, not by the file name. Pixels are those of
/// `Image.open(file).convert("RGB")` of Pillow 9.4 to 13.0:
/// - alpha and transparency are dropped; transparent pixels keep their colour;
/// - of 16-bit samples only the upper 8 bits are used (also of grey ones, which Pillow 9 clips at 255 instead);
/// - CMYK is taken as inverted, as Adobe writes it, with or without a marker; a colour is stored ink · black / 255;
/// - EXIF orientation, colour profiles and gamma are ignored.
///
/// Reuses its memory between images, except for what the libraries allocate. For one thread at a time. Not movable,
/// because libjpeg points into it. Every failure throws BadData that names the file and the library's message: an empty
/// or truncated file, data for which the library would have made up pixels, an image without or with too many pixels.
class Decoder {
 public:
  Decoder();
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Reads the file and the header of its image, and returns the image size.
  ImageSize open(const std::string& path);
  /// Same for bytes in memory, which must stay valid until decode() has returned.
  ImageSize open(const std::string& name, const std::uint8_t* bytes, std::size_t count);

  /// Decodes `region` of the opened image. The pixels are valid until the next open(), and equal to those of decoding
  /// the whole image, but JPEG blocks outside are not transformed. Call once per open(). With `reduction` 2, 4 or 8 a
  /// JPEG is decoded at that fraction of its size, by a smaller inverse transform of each block: faster, but with a
  /// different low-pass filter than a resize, so values differ by a few levels. `region` is always in pixels of the
  /// file, the result in pixels of the reduced image. PNG is never reduced.
  Decoded decode(const Region& region, int reduction = 1);
  Decoded decode();  ///< the whole image

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ddlbench::workloads
