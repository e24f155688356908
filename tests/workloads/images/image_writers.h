#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Images written in formats that Pillow does not write.

namespace ddlbench::workloads {

struct JpegForm {
  int channels = 3;   ///< of the samples: 1, 3 (RGB) or 4 (CMYK, as stored)
  bool ycck = false;  ///< 4 channels, transformed to YCCK as Adobe does
  bool adobe = true;  ///< with Adobe's marker, for 4 channels
  int across = 2;     ///< factor of chroma subsampling in this direction
  int down = 2;
  bool progressive = false;
  bool scan_per_frequency = false;  ///< progressive, with the most scans: 1 + 63 · components
  int quality = 95;
  bool arithmetic = false;
};

/// Returns a JPEG file. `samples` are rows of pixels of form.channels bytes.
std::vector<std::uint8_t> written_jpeg(int width, int height, const std::vector<std::uint8_t>& samples,
                                       const JpegForm& form);

/// Returns a PNG file. `rows` are as PNG stores them: packed if `depth` is less than 8, big-endian if it is 16.
std::vector<std::uint8_t> written_png(int width, int height, const std::vector<std::uint8_t>& rows, int depth,
                                      int colour, bool interlaced = false);

/// Returns noise over a gradient, so that blocks differ.
std::vector<std::uint8_t> noise(int width, int height, int channels = 3);

}  // namespace ddlbench::workloads
