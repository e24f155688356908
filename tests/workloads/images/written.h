#pragma once

#include <cstdint>
#include <string>
#include <vector>

// Images written in forms that Pillow does not write.

namespace ddlbench::workloads {

struct JpegForm {
  int channels = 3;   ///< of the samples: 1, 3 (RGB) or 4 (CMYK, as it is stored)
  bool ycck = false;  ///< 4 channels in Adobe's transformed form
  bool adobe = true;  ///< a marker of Adobe's, for 4 channels
  int across = 2;     ///< chroma is halved, quartered … in this direction
  int down = 2;
  bool progressive = false;
  int quality = 95;
  bool arithmetic = false;
};

/// `samples` are rows of pixels of form.channels bytes.
std::vector<std::uint8_t> written_jpeg(int width, int height, const std::vector<std::uint8_t>& samples,
                                       const JpegForm& form);

/// `rows` as PNG stores them: packed where `depth` is less than 8, big-endian where it is 16.
std::vector<std::uint8_t> written_png(int width, int height, const std::vector<std::uint8_t>& rows, int depth,
                                      int colour, bool interlaced = false);

/// RGB noise over a slope, so that blocks differ.
std::vector<std::uint8_t> noise(int width, int height, int channels = 3);

}  // namespace ddlbench::workloads
