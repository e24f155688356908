#include "catch.h"
#include "workloads/dataset.h"
#include "workloads/images/decode.h"
#include "workloads/images/image_writers.h"
#include "workloads/images/pillow_files.h"

namespace ddlbench::workloads {
namespace {

class RandomNumbers {
 public:
  std::size_t below(std::size_t count) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::size_t>((state_ >> 33) % count);
  }

 private:
  std::uint64_t state_ = 99;
};

/// Decodes a damaged file: requires either an image or BadData that names the file.
void survive(Decoder& decoder, const std::vector<std::uint8_t>& file, int& refused) {
  try {
    const ImageSize size = decoder.open("damaged", file.data(), file.size());
    const Decoded image = decoder.decode();
    std::uint64_t sum = 0;  // reads every pixel
    for (int y = 0; y < image.pixels.height; ++y) {
      const std::uint8_t* row = image.pixels.data + static_cast<std::size_t>(y) * image.pixels.stride;
      for (int i = 0; i < image.pixels.width * 3; ++i) sum += row[i];
    }
    REQUIRE(image.image == size);
    REQUIRE(sum <=
            std::uint64_t{255} * 3 * static_cast<std::uint64_t>(size.width) * static_cast<std::uint64_t>(size.height));
  } catch (const BadData& error) {
    ++refused;
    REQUIRE(std::string(error.what()).rfind("damaged: ", 0) == 0);
  }
}

TEST_CASE("a JPEG file without its tables is not decoded with those of another file") {
  JpegForm form;
  form.progressive = true;
  const std::vector<std::uint8_t> whole = written_jpeg(16, 16, noise(16, 16), form);
  for (const std::uint8_t table : {0xC4, 0xDB}) {  // DHT and DQT
    std::vector<std::uint8_t> without = whole;
    for (std::size_t i = 0; i + 1 < without.size(); ++i)
      if (without[i] == 0xFF && without[i + 1] == table) without[i + 1] = 0xFE;  // a comment
    Decoder decoder;
    decoder.open("whole", whole.data(), whole.size());
    decoder.decode();
    int refused = 0;
    survive(decoder, without, refused);
    survive(decoder, without, refused);
    CHECK(refused == 2);
  }
}

TEST_CASE("randomly truncated and modified images decode or throw BadData") {
  Decoder decoder;
  JpegForm four;
  four.channels = 4;
  four.ycck = true;
  const std::vector<std::vector<std::uint8_t>> files{pillow::jpeg_420, pillow::jpeg_444_progressive, pillow::png_rgb,
                                                     pillow::png_palette, written_jpeg(20, 20, noise(20, 20, 4), four)};
  for (const std::vector<std::uint8_t>& whole : files) {
    RandomNumbers numbers;
    int cut = 0, changed = 0, kept = 0;
    for (int i = 0; i < 200; ++i) {
      survive(decoder, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(numbers.below(whole.size()))}, cut);
      std::vector<std::uint8_t> flipped = whole;
      for (std::size_t changes = 1 + numbers.below(4); changes > 0; --changes) {
        flipped[numbers.below(flipped.size())] ^= static_cast<std::uint8_t>(1 + numbers.below(255));
      }
      survive(decoder, flipped, changed);
    }
    survive(decoder, whole, kept);
    CHECK(cut == 200);
    CHECK(changed > 20);
    CHECK(kept == 0);
  }
}

}  // namespace
}  // namespace ddlbench::workloads
