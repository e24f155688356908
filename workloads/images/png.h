#pragma once

#include <png.h>

#include <cstdint>
#include <vector>

#include "workloads/images/decode.h"

namespace ddlbench::workloads {

/// A wrapper of libpng's reader that turns its errors into a return value and a message. Decoder describes what is
/// decoded.
class PngReader {
 public:
  PngReader() = default;
  ~PngReader() { close(); }
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;

  static bool is_png(const std::uint8_t* bytes, std::size_t count);

  /// Reads the header. Returns false where it is not a PNG header; message() has the reason. The bytes must stay valid
  /// until decode() has returned.
  bool open(const std::uint8_t* bytes, std::size_t count);
  ImageSize size() const;
  /// Decodes the whole image; call once per open(). Returns false where the data is damaged. Grows `buffer` as needed;
  /// `result` points into it.
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
