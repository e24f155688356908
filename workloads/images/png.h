#pragma once

#include <png.h>

#include <cstdint>
#include <vector>

#include "workloads/images/decode.h"

namespace ddlbench::workloads {

/// libpng's reader, whose errors become a return value and a message. Decoder says what it decodes.
class PngReader {
 public:
  PngReader() = default;
  ~PngReader() { close(); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  static bool is_png(const std::uint8_t* bytes, std::size_t count);

  /// False where the header is not a PNG's: message() says why. The bytes must stay until decode().
  bool open(const std::uint8_t* bytes, std::size_t count);
  ImageSize size() const;
  /// The whole image, once for each open(). False where the data is damaged. `buffer` is grown as needed.
  bool decode(std::vector<std::uint8_t>& buffer, Decoded& result);
  const char* message() const { return text_; }
  void close();

 private:
  [[noreturn]] static void fail(png_structp png, png_const_charp what);
  static void say_nothing(png_structp, png_const_charp) {}
  static void read(png_structp png, png_bytep to, std::size_t count);

  template <class Body>
  bool guarded(const Body& body);

  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  std::vector<png_bytep> rows_;
  char text_[200] = {};
};

}  // namespace ddlbench::workloads
