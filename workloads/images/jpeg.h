#pragma once

#include <cstdio>  // jpeglib.h uses FILE and does not say so

#include <jpeglib.h>

#include <csetjmp>
#include <cstdint>
#include <vector>

#include "workloads/images/decode.h"

namespace ddlbench::workloads {

/// A wrapper of libjpeg's decompressor that turns its errors into a return value and a message. Decoder describes what
/// is decoded.
class JpegReader {
 public:
  JpegReader();
  ~JpegReader();
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;

  static bool is_jpeg(const std::uint8_t* bytes, std::size_t count);

  /// Reads the header. Returns false where it is not a JPEG header; message() has the reason. The bytes must stay valid
  /// until decode() has returned.
  bool open(const std::uint8_t* bytes, std::size_t count);
  ImageSize size() const;
  /// Decodes `region`. Returns false where the data is damaged. Grows `buffer` as needed; `result` points into it.
  bool decode(const Region& region, int reduction, std::vector<std::uint8_t>& buffer, Decoded& result);
  const char* message() const { return errors_.text; }
  void close() { jpeg_abort_decompress(&info_); }

 private:
  struct Errors {
    jpeg_error_mgr base;  // first member: libjpeg passes a pointer to it
    std::jmp_buf jump;
    char text[JMSG_LENGTH_MAX];
  };

  [[noreturn]] static void fail(j_common_ptr info);
  static void count_scans(j_common_ptr info);
  static void warn(j_common_ptr info, int level);
  static void say_nothing(j_common_ptr) {}

  void create();
  template <class Body>
  bool guarded(const Body& body);
  void read_rows(const Region& wanted, std::uint8_t* to, std::size_t stride);

  Errors errors_{};
  jpeg_progress_mgr progress_{};
  jpeg_decompress_struct info_{};
  std::vector<std::uint8_t> spare_;  ///< one row: of CMYK, or of unused pixels
};

}  // namespace ddlbench::workloads
