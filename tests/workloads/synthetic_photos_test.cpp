#include "workloads/datasets/synthetic_photos.h"

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "catch.h"
#include "temporary_folder.h"
#include "workloads/dataset.h"
#include "workloads/images/encode.h"
#include "workloads/tiny_idx.h"

namespace ddlbench::workloads {
namespace {

namespace fs = std::filesystem;

TEST_CASE("image-folder reads a folder of synthetic photographs") {
  const test::TemporaryFolder folder;
  const std::string top = folder / "new/photos";
  const SyntheticPhotos photos{3, 4, 2, {40, 30}, 90, 5};
  const std::int64_t bytes = write_photos(top, photos);
  std::int64_t there = 0;
  for (const auto& entry : fs::recursive_directory_iterator(top)) {
    if (entry.is_regular_file()) there += static_cast<std::int64_t>(entry.file_size());
  }
  CHECK(bytes == there);
  const DatasetKind& kind = find_dataset("image-folder");
  const OptionValues options = with_defaults(kind.options, {{"path", top}, {"size", std::int64_t{24}}});
  const auto train = kind.open(options, Split::training), validation = kind.open(options, Split::validation);
  CHECK(train->size() == 12);
  CHECK(validation->size() == 6);
  CHECK(train->shape().classes == 3);
  std::vector<float> values(3 * 24 * 24);
  std::int32_t label = -1;
  for (std::int64_t i = 0; i < 6; ++i) {
    validation->read({i, 0}, values.data(), &label);
    CHECK(label == i % 3);
  }
  CHECK_THROWS_AS(write_photos(top, photos), InputError);  // never overwrites existing files

  const std::string again = folder / "again", other = folder / "other";
  write_photos(again, photos);
  SyntheticPhotos another = photos;
  another.seed = 6;
  write_photos(other, another);
  const std::string name = "/train/class_02/000003.jpg";
  CHECK(read_all(top + name) == read_all(again + name));
  CHECK(read_all(top + name) != read_all(other + name));
  CHECK(read_all(top + name) != read_all(top + "/train/class_02/000002.jpg"));
  CHECK(read_all(top + "/val/class_00/000004.jpg").size() > 100);
}

TEST_CASE("mean tints of different classes of synthetic photographs differ") {
  const SyntheticPhotos photos{3, 8, 1, {48, 48}, 90, 1};
  // The mean colour is one of the features that distinguish classes.
  std::array<std::array<double, 3>, 3> means{};
  std::vector<std::uint8_t> rgb;
  for (int label = 0; label < 3; ++label) {
    for (std::int64_t i = 0; i < 8; ++i) {
      draw_photo(photos, label, i, rgb);
      REQUIRE(rgb.size() == 48 * 48 * 3);
      for (std::size_t at = 0; at < rgb.size(); ++at) {
        means[static_cast<std::size_t>(label)][at % 3] += rgb[at] / (8 * 48 * 48.0);
      }
    }
  }
  for (std::size_t a = 0; a < 3; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      double distance = 0;
      // Compares tints, not brightness: the differences between channels.
      for (std::size_t c = 0; c < 3; ++c) {
        const std::size_t d = (c + 1) % 3;
        distance += std::abs((means[a][c] - means[a][d]) - (means[b][c] - means[b][d]));
      }
      CHECK(distance > 10);
    }
  }
}

TEST_CASE("an empty image cannot be encoded") {
  const std::uint8_t byte = 0;
  CHECK_THROWS_AS(encode_jpeg({&byte, 0, 0, 0}, 90), ContractError);
}

}  // namespace
}  // namespace ddlbench::workloads
