#include "workloads/images/decode.h"

#include <png.h>
#include <sys/stat.h>

#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/error.h"
#include "base/hash.h"
#include "catch.h"
#include "failure.h"
#include "temporary_folder.h"
#include "workloads/dataset.h"
#include "workloads/images/image_writers.h"
#include "workloads/images/pillow_files.h"
#include "workloads/tiny_idx.h"

namespace ddlbench::workloads {
namespace {

/// Returns the rows without padding.
std::string dense(const Pixels& pixels) {
  std::string bytes;
  for (int y = 0; y < pixels.height; ++y) {
    const std::uint8_t* row = pixels.data + static_cast<std::size_t>(y) * pixels.stride;
    bytes.append(reinterpret_cast<const char*>(row), static_cast<std::size_t>(pixels.width) * 3);
  }
  return bytes;
}

std::string decoded(const std::vector<std::uint8_t>& file) {
  Decoder decoder;
  decoder.open("image", file.data(), file.size());
  return dense(decoder.decode().pixels);
}

std::string decode_failure(const std::vector<std::uint8_t>& file) {
  return test::failure_of<BadData>([&] { decoded(file); });
}

TEST_CASE("decoded images are byte-identical to those of Pillow") {
  Decoder decoder;  // reused for all images
  for (const pillow::File& file : pillow::files) {
    INFO(file.name);
    CHECK((decoder.open(file.name, file.bytes.data(), file.bytes.size()) == ImageSize{file.width, file.height}));
    const Decoded image = decoder.decode();
    CHECK((image.region == Region{0, 0, file.width, file.height}));
    CHECK(fnv1a(dense(image.pixels)) == file.rgb);
  }
}

TEST_CASE("a decoded part of a JPEG has the pixels of the whole image") {
  constexpr int width = 83, height = 71;
  const std::vector<std::uint8_t> samples = noise(width, height);
  Decoder decoder;
  std::uint32_t state = 1;
  const auto below = [&](int count) {
    state = state * 1664525u + 1013904223u;
    return static_cast<int>((std::uint64_t{state} * static_cast<std::uint64_t>(count)) >> 32);
  };
  for (const auto& [across, down] :
       {std::pair{1, 1}, std::pair{2, 1}, std::pair{2, 2}, std::pair{1, 2}, std::pair{4, 1}}) {
    for (const bool progressive : {false, true}) {
      JpegForm form;
      form.across = across;
      form.down = down;
      form.progressive = progressive;
      const std::vector<std::uint8_t> file = written_jpeg(width, height, samples, form);
      const std::string whole = decoded(file);
      for (int i = 0; i < 40; ++i) {
        Region region;
        region.width = 1 + below(width);
        region.height = 1 + below(height);
        region.left = below(width - region.width + 1);
        region.top = below(height - region.height + 1);
        decoder.open("part", file.data(), file.size());
        const Decoded part = decoder.decode(region);
        REQUIRE((part.image == ImageSize{width, height}));
        REQUIRE(part.region.left <= region.left);
        REQUIRE(part.region.left + part.region.width >= region.left + region.width);
        bool equal = true;
        for (int y = region.top; y < region.top + region.height; ++y) {
          const std::uint8_t* row =
              part.pixels.data + static_cast<std::size_t>(y - part.region.top) * part.pixels.stride;
          equal = equal &&
                  std::memcmp(row + (region.left - part.region.left) * 3, whole.data() + (y * width + region.left) * 3,
                              static_cast<std::size_t>(region.width) * 3) == 0;
        }
        INFO(across << "x" << down << (progressive ? " progressive" : "") << " " << region.left << "," << region.top
                    << " " << region.width << "x" << region.height);
        CHECK(equal);
      }
    }
  }
}

TEST_CASE("CMYK and YCCK are read as inverted ink, with and without Adobe's marker") {
  // The file stores the light that each ink leaves: red is 200·240/255, green 100·240/255, blue 50·240/255.
  std::vector<std::uint8_t> inks;
  for (int i = 0; i < 16 * 16; ++i) inks.insert(inks.end(), {200, 100, 50, 240});
  for (const bool ycck : {false, true}) {
    for (const bool adobe : {true, false}) {
      if (ycck && !adobe) continue;  // only the marker identifies YCCK
      JpegForm form;
      form.channels = 4;
      form.ycck = ycck;
      form.adobe = adobe;
      form.quality = 100;
      const std::string rgb = decoded(written_jpeg(16, 16, inks, form));
      REQUIRE(rgb.size() == 16 * 16 * 3);
      const int expected[3] = {188, 94, 47};
      for (std::size_t i = 0; i < rgb.size(); ++i) {
        CHECK(std::abs(static_cast<unsigned char>(rgb[i]) - expected[i % 3]) <= 2);
      }
    }
  }
}

TEST_CASE("PNG of every depth decodes to its upper eight bits, interlaced or not") {
  for (const bool interlaced : {false, true}) {
    const std::string grey16 =
        decoded(written_png(2, 1, {0x12, 0xFF, 0xFE, 0x01}, 16, PNG_COLOR_TYPE_GRAY, interlaced));
    CHECK(grey16 == "\x12\x12\x12\xFE\xFE\xFE");
    const std::string rgb16 =
        decoded(written_png(1, 2, {1, 99, 2, 99, 3, 99, 4, 99, 5, 99, 6, 99}, 16, PNG_COLOR_TYPE_RGB, interlaced));
    CHECK(rgb16 == "\1\2\3\4\5\6");
    const std::string two_bits = decoded(written_png(4, 1, {0x1B}, 2, PNG_COLOR_TYPE_GRAY, interlaced));
    CHECK(two_bits == std::string("\0\0\0\x55\x55\x55\xAA\xAA\xAA\xFF\xFF\xFF", 12));
    const std::vector<std::uint8_t> samples = noise(13, 9);
    const std::string whole = decoded(written_png(13, 9, samples, 8, PNG_COLOR_TYPE_RGB, interlaced));
    CHECK(whole == std::string(samples.begin(), samples.end()));
  }
}

TEST_CASE("a JPEG can be decoded at a fraction of its size") {
  const std::vector<std::uint8_t> file = written_jpeg(83, 71, std::vector<std::uint8_t>(83 * 71 * 3, 90), {});
  Decoder decoder;
  for (const int reduction : {2, 4, 8}) {
    decoder.open("image", file.data(), file.size());
    const Decoded image = decoder.decode({8, 8, 40, 30}, reduction);
    CHECK(image.reduction == reduction);
    CHECK((image.image == ImageSize{(83 + reduction - 1) / reduction, (71 + reduction - 1) / reduction}));
    CHECK(image.region.top == 8 / reduction);
    CHECK(image.region.height == (38 + reduction - 1) / reduction - 8 / reduction);
    for (const char value : dense(image.pixels)) CHECK(std::abs(static_cast<unsigned char>(value) - 90) <= 1);
  }
}

TEST_CASE("a file that is not an image is rejected with its name and the problem") {
  const test::TemporaryFolder folder;
  Decoder decoder;
  const auto failure_of = [&](const std::string& path) {
    try {
      decoder.open(path);
      decoder.decode();
    } catch (const BadData& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  const std::string path = folder / "photo.jpg";
  test::check_says(failure_of(path), path + ": cannot be opened: No such file");
  write_plain(path, {});
  test::check_says(failure_of(path), path + ": an empty file");
  write_plain(path, {'G', 'I', 'F', '8', '9', 'a', 0, 0, 0, 0});
  test::check_says(failure_of(path), "neither JPEG nor PNG");
  write_plain(path, {0xFF, 0xD8, 0xFF, 0xD9});
  test::check_says(failure_of(path), "not a JPEG image that can be read: ");
  test::check_says(failure_of(folder.path()), "not a file");
  write_plain(path, pillow::png_rgb);  // a PNG with another file extension
  CHECK(failure_of(path) == "nothing was thrown");
  CHECK_THROWS_AS(decoder.decode(), ContractError);
}

TEST_CASE("a FIFO in place of an image is rejected without blocking", "[F14]") {
  const test::TemporaryFolder folder;
  const std::string pipe = folder / "photo.jpg";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  Decoder decoder;
  CHECK_THROWS_MATCHES(decoder.open(pipe), BadData, Catch::Message(pipe + ": is not a regular file"));
}

TEST_CASE("empty, oversized and truncated images are rejected") {
  SECTION("no rows, no columns") {
    std::vector<std::uint8_t> file = pillow::jpeg_420;
    std::size_t frame = 0;
    while (!(file[frame] == 0xFF && file[frame + 1] == 0xC0)) ++frame;
    std::vector<std::uint8_t> flat = file, thin = file, large = file;
    flat[frame + 5] = flat[frame + 6] = 0;
    test::check_says(decode_failure(flat), "not a JPEG image that can be read: Empty JPEG image");
    thin[frame + 7] = thin[frame + 8] = 0;
    test::check_says(decode_failure(thin), "Empty JPEG image");
    large[frame + 5] = large[frame + 7] = 0xFF;
    test::check_says(decode_failure(large), "more than the 89478485 that can be decoded");
  }
  SECTION("no columns of PNG") {
    const std::vector<std::uint8_t> png = written_png(1, 1, {0, 0, 0}, 8, PNG_COLOR_TYPE_RGB);
    std::vector<std::uint8_t> none = png, large = png;
    none[19] = 0;
    test::check_says(decode_failure(none), "not a PNG image that can be read: ");
    test::check_says(decode_failure({png.begin(), png.begin() + 20}), "premature end of the file");
  }
  SECTION("more scans than any picture has") {
    JpegForm form;
    form.channels = 1;
    form.scan_per_frequency = true;
    CHECK(decode_failure(written_jpeg(16, 16, noise(16, 16, 1), form)) == "nothing was thrown");
    form.channels = 3;
    test::check_says(decode_failure(written_jpeg(16, 16, noise(16, 16, 3), form)), "more than 100 scans");
  }
  SECTION("a file that is larger than the pixels of any image") {
    const test::TemporaryFolder folder;
    write_plain(folder / "large.png", {});
    std::filesystem::resize_file(folder / "large.png", std::uintmax_t{1} << 40);
    Decoder decoder;
    test::check_says(test::failure_of([&] { decoder.open(folder / "large.png"); }),
                     "a file of 1099511627776 bytes, more than the 268435455 that an image may have");
  }
  SECTION("cut in the data") {
    const std::vector<std::uint8_t>& jpeg = pillow::jpeg_420;
    test::check_says(decode_failure({jpeg.begin(), jpeg.end() - 200}), "image: corrupt image data: ");
    test::check_says(decode_failure({jpeg.begin(), jpeg.end() - 200}), "remature end");
    test::check_says(decode_failure({jpeg.begin(), jpeg.end() - 2}), "Premature end of JPEG file");
    const std::vector<std::uint8_t>& png = pillow::png_rgb;
    test::check_says(decode_failure({png.begin(), png.end() - 30}), "image: corrupt image data: ");
  }
  SECTION("cut behind the part that is wanted") {
    const std::vector<std::uint8_t>& jpeg = pillow::jpeg_420;
    Decoder decoder;
    decoder.open("image", jpeg.data(), jpeg.size() - 100);
    CHECK_THROWS_AS(decoder.decode({0, 0, 4, 4}), BadData);
    decoder.open("image", jpeg.data(), jpeg.size());
    CHECK_NOTHROW(decoder.decode({0, 0, 4, 4}));
  }
}

}  // namespace
}  // namespace ddlbench::workloads
