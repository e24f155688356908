#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "workloads/images/image.h"

namespace ddlbench::workloads {

/// A larger image is refused before memory is taken for it: Pillow's MAX_IMAGE_PIXELS, a quarter of a GiB of RGB.
constexpr std::int64_t most_pixels_of_an_image = 89'478'485;

/// A part of an image as it was decoded.
struct Decoded {
  Pixels pixels;
  Region region;      ///< what `pixels` are, in pixels of the decoded image: the part that was asked for lies within
  ImageSize image;    ///< the whole decoded image: smaller than the file's where it was reduced
  int reduction = 1;  ///< the file's extent over the decoded one, but for rounding up
};

/// Decodes JPEG (baseline, progressive; grey, YCbCr, RGB, CMYK, YCCK) and PNG (every depth and colour type) to RGB of
/// 8 bits. Which of both a file is, its first bytes say, not its name. Pixels are those of
/// `Image.open(file).convert("RGB")` of Pillow 9.4 to 13.0:
/// - alpha and transparency are dropped, what is transparent keeps its colour;
/// - samples of 16 bits give their upper 8 (grey ones too, which Pillow 9 clips at 255 instead);
/// - CMYK is taken as inverted, as Adobe writes it, whether a marker says so or not; ink over 255 bits of black;
/// - orientation of EXIF, colour profiles and gamma are ignored.
///
/// Keeps its memory from image to image, but for what the libraries take themselves. One thread at a time; not
/// to be moved, for libjpeg points into it. Every failure is BadData that names the file and what the library said: an
/// empty or cut file, data whose pixels the library would have made up, an image of nothing or of too many pixels.
class Decoder {
 public:
  Decoder();
  ~Decoder();
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;

  /// Reads the file and the header of its image: the size.
  ImageSize open(const std::string& path);
  /// The same of bytes in memory, which must stay until decode() has returned.
  ImageSize open(const std::string& name, const std::uint8_t* bytes, std::size_t count);

  /// The pixels of `region` (of the opened image), valid until the next open(). The same as in a decode of the whole,
  /// but a JPEG's blocks outside are not transformed. Once for each open().
  /// `reduction` 2, 4 or 8 lets a JPEG be decoded at that fraction of its size (a smaller inverse transform of each
  /// block: quicker, but it low-passes otherwise than a resize, so values differ by a few levels). `region` is then
  /// still in pixels of the file, the result's in those of the reduced image. PNG is never reduced.
  Decoded decode(const Region& region, int reduction = 1);
  Decoded decode();  ///< the whole image

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ddlbench::workloads
