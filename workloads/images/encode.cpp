#include "workloads/images/encode.h"

#include <cstdio>  // jpeglib.h uses FILE and does not say so

#include <jpeglib.h>

#include <csetjmp>
#include <cstdlib>
#include <string>

#include "base/error.h"

namespace ddlbench::workloads {
namespace {

struct Errors {
  jpeg_error_mgr base;  // first member: libjpeg passes a pointer to it
  std::jmp_buf jump;
  char text[JMSG_LENGTH_MAX];
};

[[noreturn]] void fail(j_common_ptr info) {
  auto* errors = reinterpret_cast<Errors*>(info->err);
  info->err->format_message(info, errors->text);
  std::longjmp(errors->jump, 1);
}

/// libjpeg's state and output, freed on every path.
struct Compression {
  ~Compression() {
    jpeg_destroy_compress(&info);
    std::free(bytes);
  }
  Errors errors{};
  jpeg_compress_struct info{};
  unsigned char* bytes = nullptr;
  unsigned long count = 0;
};

bool compress(Compression& to, const Pixels& pixels, int quality) {
  if (setjmp(to.errors.jump) != 0) return false;
  jpeg_create_compress(&to.info);
  jpeg_mem_dest(&to.info, &to.bytes, &to.count);
  to.info.image_width = static_cast<JDIMENSION>(pixels.width);
  to.info.image_height = static_cast<JDIMENSION>(pixels.height);
  to.info.input_components = 3;
  to.info.in_color_space = JCS_RGB;
  jpeg_set_defaults(&to.info);
  jpeg_set_quality(&to.info, quality, TRUE);
  jpeg_start_compress(&to.info, TRUE);
  while (to.info.next_scanline < to.info.image_height) {
    auto* row = const_cast<JSAMPROW>(pixels.data + to.info.next_scanline * pixels.stride);  // never written
    jpeg_write_scanlines(&to.info, &row, 1);
  }
  jpeg_finish_compress(&to.info);
  return true;
}

}  // namespace

std::vector<std::uint8_t> encode_jpeg(const Pixels& pixels, int quality) {
  Compression compression;
  compression.info.err = jpeg_std_error(&compression.errors.base);
  compression.errors.base.error_exit = fail;
  if (!compress(compression, pixels, quality)) {
    throw ContractError(std::string("libjpeg cannot write this image: ") + compression.errors.text);
  }
  return {compression.bytes, compression.bytes + compression.count};
}

}  // namespace ddlbench::workloads
