#include "workloads/images/image_writers.h"

#include <cstdio>  // jpeglib.h uses FILE and does not say so

#include <jpeglib.h>
#include <png.h>

#include <cstdlib>
#include <cstring>

namespace ddlbench::workloads {

std::vector<std::uint8_t> written_jpeg(int width, int height, const std::vector<std::uint8_t>& samples,
                                       const JpegForm& form) {
  jpeg_error_mgr errors{};
  jpeg_compress_struct info{};
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  unsigned char* bytes = nullptr;
  unsigned long count = 0;
  jpeg_mem_dest(&info, &bytes, &count);
  info.image_width = static_cast<JDIMENSION>(width);
  info.image_height = static_cast<JDIMENSION>(height);
  info.input_components = form.channels;
  info.in_color_space = form.channels == 1 ? JCS_GRAYSCALE : form.channels == 3 ? JCS_RGB : JCS_CMYK;
  jpeg_set_defaults(&info);
  if (form.ycck) jpeg_set_colorspace(&info, JCS_YCCK);
  if (form.channels == 4) info.write_Adobe_marker = form.adobe ? TRUE : FALSE;
  if (form.channels == 3) {
    info.comp_info[0].h_samp_factor = form.across;
    info.comp_info[0].v_samp_factor = form.down;
  }
  jpeg_set_quality(&info, form.quality, TRUE);
  info.arith_code = form.arithmetic ? TRUE : FALSE;
  if (form.progressive) jpeg_simple_progression(&info);
  std::vector<jpeg_scan_info> scans;
  if (form.scan_per_frequency) {
    scans.push_back({info.num_components, {0, 1, 2, 3}, 0, 0, 0, 0});
    for (int component = 0; component < info.num_components; ++component)
      for (int frequency = 1; frequency < DCTSIZE2; ++frequency)
        scans.push_back({1, {component}, frequency, frequency, 0, 0});
    info.scan_info = scans.data();
    info.num_scans = static_cast<int>(scans.size());
  }
  jpeg_start_compress(&info, TRUE);
  while (info.next_scanline < info.image_height) {
    const std::size_t at =
        static_cast<std::size_t>(info.next_scanline) * static_cast<std::size_t>(width * form.channels);
    auto* row = const_cast<JSAMPROW>(samples.data() + at);
    jpeg_write_scanlines(&info, &row, 1);
  }
  jpeg_finish_compress(&info);
  std::vector<std::uint8_t> file(bytes, bytes + count);
  jpeg_destroy_compress(&info);
  std::free(bytes);
  return file;
}

std::vector<std::uint8_t> written_png(int width, int height, const std::vector<std::uint8_t>& rows, int depth,
                                      int colour, bool interlaced) {
  std::vector<std::uint8_t> file;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &file,
      [](png_structp from, png_bytep bytes, std::size_t count) {
        auto* to = static_cast<std::vector<std::uint8_t>*>(png_get_io_ptr(from));
        to->insert(to->end(), bytes, bytes + count);
      },
      [](png_structp) {});
  png_set_IHDR(png, info, static_cast<png_uint_32>(width), static_cast<png_uint_32>(height), depth, colour,
               interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  std::vector<png_bytep> pointers;
  const std::size_t stride = rows.size() / static_cast<std::size_t>(height);
  std::vector<std::uint8_t> copy = rows;
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y) pointers.push_back(copy.data() + y * stride);
  png_set_rows(png, info, pointers.data());
  png_write_png(png, info, PNG_TRANSFORM_IDENTITY, nullptr);
  png_destroy_write_struct(&png, &info);
  return file;
}

std::vector<std::uint8_t> noise(int width, int height, int channels) {
  std::vector<std::uint8_t> bytes;
  std::uint32_t state = 7;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        state = state * 1664525u + 1013904223u;
        bytes.push_back(static_cast<std::uint8_t>((x * (2 + c) + y * (3 - c) / 2) % 192 + (state >> 26)));
      }
    }
  }
  return bytes;
}

}  // namespace ddlbench::workloads
