#include "workloads/images/resample.h"

#include <string_view>

#include "base/error.h"
#include "base/hash.h"
#include "catch.h"
#include "workloads/images/decode.h"
#include "workloads/images/image_writers.h"
#include "workloads/images/pillow_files.h"

namespace ddlbench::workloads {
namespace {

std::string_view bytes_of(const Pixels& pixels) {  // results of Resampler are dense
  return {reinterpret_cast<const char*>(pixels.data), pixels.stride * static_cast<std::size_t>(pixels.height)};
}

Resize all_of(int from, int to) {
  return {from, 0, static_cast<double>(from), to, 0, to};
}

TEST_CASE("resizing a part of an image is byte-identical to Pillow 9.4 to 12.0 on the cropped image", "[N3]") {
  Decoder decoder;
  Resampler resampler;
  for (const pillow::Resized& expected : pillow::resized) {
    const Region region{expected.left, expected.top, expected.width, expected.height};
    decoder.open("image", pillow::jpeg_420.data(), pillow::jpeg_420.size());
    const Decoded image = decoder.decode(region);
    const Pixels result =
        resampler.resize(image.pixels, region.left - image.region.left, region.top - image.region.top,
                         all_of(region.width, expected.to_width), all_of(region.height, expected.to_height));
    INFO(region.width << "x" << region.height << " to " << expected.to_width << "x" << expected.to_height);
    REQUIRE(result.width == expected.to_width);
    REQUIRE(result.height == expected.to_height);
    CHECK(fnv1a(bytes_of(result)) == expected.rgb);
  }
}

TEST_CASE("a window of a resized image is computed from only the pixels that it depends on") {
  constexpr int width = 50, height = 40;
  std::vector<std::uint8_t> source = noise(width, height);
  source.resize(source.size() + 16);
  const Pixels pixels{source.data(), width, height, width * 3};
  Resampler resampler;
  for (const auto& [to_width, to_height] : {std::pair{23, 19}, std::pair{90, 61}}) {
    const std::string whole(
        bytes_of(resampler.resize(pixels, 0, 0, all_of(width, to_width), all_of(height, to_height))));
    const Resize across{width, 0, width, to_width, 5, 9}, down{height, 0, height, to_height, 7, 11};
    const SourceRange columns = source_range(across), rows = source_range(down);
    CHECK(columns.first > 0);
    CHECK(rows.last < height);
    const Pixels part{source.data() + (rows.first * width + columns.first) * 3, columns.last - columns.first,
                      rows.last - rows.first, width * 3};
    const Pixels window = resampler.resize(part, -columns.first, -rows.first, across, down);
    for (int y = 0; y < 11; ++y) {
      CHECK(bytes_of(window).substr(static_cast<std::size_t>(y) * 27, 27) ==
            whole.substr(static_cast<std::size_t>((y + 7) * to_width + 5) * 3, 27));
    }
    Pixels less = part;
    less.width -= 1;
    CHECK_THROWS_AS(resampler.resize(less, -columns.first, -rows.first, across, down), ContractError);
  }
}

TEST_CASE("a uniform image stays uniform at any size") {
  std::vector<std::uint8_t> source(61 * 47 * 3 + 16, 255);
  const Pixels pixels{source.data(), 61, 47, 61 * 3};
  Resampler resampler;
  for (const int size : {1, 2, 17, 100, 333}) {
    const Pixels result = resampler.resize(pixels, 0, 0, all_of(61, size), all_of(47, size));
    CHECK(bytes_of(result).find_first_not_of('\xFF') == std::string_view::npos);
  }
}

TEST_CASE("the SIMD loops give the results of the portable ones") {
  const std::vector<std::uint8_t> source = noise(64, 8);
  std::vector<WeightPair> pairs{weight_pair(1 << 20, 1 << 21), weight_pair(1 << 20, 0), weight_pair(4194304, 0),
                                weight_pair(12345, 4194304 - 12345)};
  const std::vector<std::int32_t> first{0, 20, 57}, count{2, 1, 1};
  const std::vector<WeightPair> of_columns{pairs[0], pairs[1], pairs[2], pairs[2], pairs[3], pairs[3]};
  const WeightTable table{first.data(), count.data(), of_columns.data(), 2, 3};
  std::array<const std::uint8_t*, 4> rows{};
  for (std::size_t i = 0; i < 4; ++i) rows[i] = source.data() + i * 192;
  std::vector<std::uint8_t> fast(4 * 16), plain(4 * 16);
  const auto four = [](std::vector<std::uint8_t>& of) {
    return std::array<std::uint8_t*, 4>{of.data(), of.data() + 16, of.data() + 32, of.data() + 48};
  };
  resize_rows(rows, table, four(fast));
  portable::resize_rows(rows, table, four(plain));
  for (std::size_t i = 0; i < 64; ++i) {
    if (i % 16 < 9) CHECK(fast[i] == plain[i]);
  }
  std::vector<std::uint8_t> sum(192), plain_sum(192);
  sum_rows(source.data(), 192, pairs.data(), 2, 192, sum.data());
  portable::sum_rows(source.data(), 192, pairs.data(), 2, 192, plain_sum.data());
  CHECK(sum == plain_sum);
  CHECK(sum != std::vector<std::uint8_t>(192));
}

}  // namespace
}  // namespace ddlbench::workloads
