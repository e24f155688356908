#include "workloads/images/transform.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/hash.h"
#include "catch.h"
#include "failure.h"
#include "temporary_folder.h"
#include "workloads/images/image_writers.h"
#include "workloads/images/pillow_files.h"
#include "workloads/tiny_idx.h"

namespace ddlbench::workloads {
namespace {

const NormalisationTables& plain() {
  static const NormalisationTables of_nothing({{0, 0, 0}, {1, 1, 1}}, "test");
  return of_nothing;
}

/// Returns the interleaved bytes of planes of value / 255.
std::string bytes_of_planes(const std::vector<float>& planes) {
  const std::size_t plane = planes.size() / 3;
  std::string bytes;
  for (std::size_t i = 0; i < plane; ++i) {
    for (std::size_t c = 0; c < 3; ++c) bytes.push_back(static_cast<char>(std::lround(planes[c * plane + i] * 255)));
  }
  return bytes;
}

std::vector<float> transformed(const std::string& path, const TransformSettings& settings, SampleDraw draw = {},
                               const NormalisationTables& tables = plain()) {
  static TransformScratch scratch;
  std::vector<float> planes(3 * static_cast<std::size_t>(settings.size) * static_cast<std::size_t>(settings.size));
  transform(path, settings, tables, draw, scratch, planes.data());
  return planes;
}

TransformSettings centre(int shorter_side, int size) {
  TransformSettings settings;
  settings.size = size;
  settings.shorter_side = shorter_side;
  settings.random_crop = settings.mirror = false;
  return settings;
}

TEST_CASE("the centre crop of a resized image equals that of torchvision") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "photo.jpg";
  write_plain(path, pillow::jpeg_420);
  for (const pillow::Centre& expected : pillow::centres) {
    INFO("shorter side " << expected.shorter_side << ", size " << expected.size);
    const auto planes = transformed(path, centre(expected.shorter_side, expected.size));
    CHECK(fnv1a(bytes_of_planes(planes)) == expected.rgb);
  }
  const NormalisationTables usual({{0.485, 0.456, 0.406}, {0.229, 0.224, 0.225}}, "test");
  const auto planes = transformed(path, centre(9, 8), {}, usual);
  CHECK(std::vector<float>{planes[0], planes[77], planes[191]} == pillow::normalised);
}

TEST_CASE("a random crop has torchvision's distribution of areas and ratios and lies in the image") {
  constexpr ImageSize image{500, 375};
  constexpr int draws = 4000;
  double area = 0, logarithm = 0;
  int mirrored = 0, edges = 0;
  for (int i = 0; i < draws; ++i) {
    const SampleDraw draw{i, 77};
    const Region crop = random_crop(image, draw);
    REQUIRE(crop.left >= 0);
    REQUIRE(crop.top >= 0);
    REQUIRE(crop.width > 0);
    REQUIRE(crop.left + crop.width <= image.width);
    REQUIRE(crop.top + crop.height <= image.height);
    const double part = double(crop.width) * crop.height / (500.0 * 375.0), ratio = double(crop.width) / crop.height;
    REQUIRE(part > 0.078);
    REQUIRE(ratio > 0.74);
    REQUIRE(ratio < 1.35);
    area += part / draws;
    logarithm += std::log(ratio) / draws;
    mirrored += random_mirror(draw) ? 1 : 0;
    edges += crop.left == 0 || crop.top == 0 ? 1 : 0;
    CHECK((random_crop(image, draw) == crop));
  }
  // RandomResizedCrop.get_params of torchvision 0.14, 60,000 draws at this size: 0.434 and 0.031.
  CHECK(area == Approx(0.434).margin(0.012));
  CHECK(logarithm == Approx(0.031).margin(0.01));
  CHECK(mirrored == Approx(draws / 2).margin(130));
  CHECK(edges > 10);
  CHECK_FALSE((random_crop(image, {5, 77}) == random_crop(image, {5, 78})));
  CHECK_FALSE((random_crop(image, {5, 77}) == random_crop(image, {6, 77})));
}

TEST_CASE("an image in which no random crop fits is cropped at its centre") {
  CHECK((random_crop({1000, 10}, {0, 1}) == Region{493, 0, 13, 10}));
  CHECK((random_crop({10, 1000}, {0, 1}) == Region{0, 493, 10, 13}));
  const Region one = random_crop({1, 1}, {3, 1});
  CHECK((one == Region{0, 0, 1, 1}));
}

TEST_CASE("half of the samples are mirrored and otherwise unchanged") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "photo.jpg";
  write_plain(path, pillow::jpeg_420);
  TransformSettings settings;
  settings.size = 24;
  int mirrored = 0;
  for (std::int64_t i = 0; i < 16; ++i) {
    const SampleDraw draw{i, 5};
    settings.mirror = true;
    const std::vector<float> with = transformed(path, settings, draw);
    CHECK(transformed(path, settings, draw) == with);
    settings.mirror = false;
    std::vector<float> without = transformed(path, settings, draw);
    if (random_mirror(draw)) {
      ++mirrored;
      for (auto row = without.begin(); row != without.end(); row += 24) std::reverse(row, row + 24);
    }
    CHECK(without == with);
  }
  CHECK(mirrored > 3);
  CHECK(mirrored < 13);
}

TEST_CASE("reduced decoding changes values little, and only where an image is much reduced") {
  const test::TemporaryFolder folder;
  const std::string large = folder / "large.jpg", small = folder / "small.jpg", png = folder / "large.png";
  std::vector<std::uint8_t> smooth;
  for (int y = 0; y < 300; ++y) {
    for (int x = 0; x < 400; ++x) {
      for (int c = 0; c < 3; ++c) smooth.push_back(static_cast<std::uint8_t>((x + y * c) / 5));
    }
  }
  write_plain(large, written_jpeg(400, 300, smooth, {}));
  write_plain(png, written_png(400, 300, smooth, 8, 2));
  write_plain(small, written_jpeg(40, 30, noise(40, 30), {}));
  for (const bool random : {false, true}) {
    TransformSettings exact = centre(36, 32);
    exact.random_crop = random;
    TransformSettings reduced = exact;
    reduced.reduce = true;
    for (std::int64_t i = 0; i < 8; ++i) {
      const auto expected = transformed(large, exact, {i, 3}), got = transformed(large, reduced, {i, 3});
      float most = 0;
      for (std::size_t at = 0; at < expected.size(); ++at) most = std::max(most, std::abs(expected[at] - got[at]));
      CHECK(most < 4.0F / 255);
      CHECK(transformed(small, reduced, {i, 3}) == transformed(small, exact, {i, 3}));
      CHECK(transformed(png, reduced, {i, 3}) == transformed(png, exact, {i, 3}));
    }
  }
}

TEST_CASE("three_numbers parses three numbers and rejects anything else") {
  CHECK(three_numbers("0.485,0.456, 0.406", "images", "mean") == std::vector<double>{0.485, 0.456, 0.406});
  for (const char* wrong : {"", "1,2", "1,2,3,4", "1,2,x", "1;2;3", "1,2,", "nan,1,1", "1,2,3 "}) {
    CHECK_THROWS_AS(three_numbers(wrong, "images", "mean"), InputError);
  }
  try {
    three_numbers("0.5", "images", "std");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) ==
          "images: the option std must be three numbers such as \"0.485,0.456,0.406\", but is \"0.5\"");
  }
  CHECK_THROWS_AS(NormalisationTables({{0, 0, 0}, {1, 0, 1}}, "images"), InputError);
  CHECK_THROWS_AS(NormalisationTables({{0, 0, 0}, {1, -1, 1}}, "images"), InputError);
  CHECK_THROWS_AS(NormalisationTables({{0, 1e38, 0}, {1, 1e-30, 1}}, "images"), InputError);
}

TEST_CASE("an image that is too long for its resized length is rejected") {
  const test::TemporaryFolder folder;
  const std::string path = folder / "long.png";
  constexpr int length = 1000000;
  write_plain(path, written_png(length, 1, std::vector<std::uint8_t>(length, 7), 8, 0));
  CHECK_NOTHROW(transformed(path, centre(8, 8)));
  CHECK(test::failure_of([&] { transformed(path, centre(8192, 8)); }) ==
        path + ": an image of 1000000x1 pixels is too long to be resized to a shorter side of 8192");
}

}  // namespace
}  // namespace ddlbench::workloads
