#include <set>

#include "base/error.h"
#include "byte_images.h"
#include "catch.h"
#include "temporary_folder.h"
#include "workloads/corrupt.h"
#include "workloads/images/image_writers.h"
#include "workloads/loader.h"

namespace ddlbench::workloads {
namespace {

namespace fs = std::filesystem;

std::unique_ptr<Dataset> open_dataset(const std::string& kind, OptionValues options, Split split = Split::training) {
  const DatasetKind& found = find_dataset(kind);
  return found.open(with_defaults(found.options, options), split);
}

/// Writes a photograph for each of two classes and each split, all large enough for random crops.
void write_photos(const fs::path& top) {
  for (const char* split : {"train", "val"}) {
    for (const auto& [name, width] : {std::pair{"ant", 40}, {"bee", 44}}) {
      fs::create_directories(top / split / name);
      write_plain(top / split / name / "x.png", written_png(width, 30, noise(width, 30), 8, 2));
    }
  }
}

/// Checks for every draw that reading bytes and normalising them gives exactly what read() gives.
void check_bytes(const Dataset& data) {
  const SampleShape& shape = data.shape();
  REQUIRE(data.normalisation() != nullptr);
  const auto size = static_cast<std::size_t>(graph::elements(shape.sample.shape));
  std::set<std::vector<float>> seen;
  for (std::uint64_t key = 0; key < 8; ++key) {
    for (std::int64_t index = 0; index < data.size(); ++index) {
      std::vector<float> values(size);
      std::vector<std::uint8_t> bytes(size);
      std::int32_t label = -1, label_of_bytes = -2;
      data.read({index, key}, values.data(), &label);
      data.read_bytes({index, key}, bytes.data(), &label_of_bytes);
      CHECK(label == label_of_bytes);
      CHECK(graph::normalised(*data.normalisation(), shape.sample.shape, bytes.data(), 1) == values);
      seen.insert(std::move(values));
    }
  }
  CHECK(seen.size() >= static_cast<std::size_t>(data.size()));
}

TEST_CASE("reading bytes and normalising them is bit-identical to reading numbers") {
  const test::TemporaryFolder folder;
  write_idx_images(folder.path(), 6, 2, 7);
  write_cifar_images(folder.path(), 4, 2);
  write_photos(folder.path());
  const std::string path = folder.path();
  for (const Split split : {Split::training, Split::validation}) {
    check_bytes(*open_dataset("idx", {{"path", path}}, split));
    check_bytes(*open_dataset("idx", {{"path", path}, {"mean", -3.7}, {"std", 0.011}}, split));
    check_bytes(*open_dataset("cifar", {{"path", path}, {"classes", std::int64_t{100}}}, split));
    check_bytes(*open_dataset(
        "cifar", {{"path", path}, {"classes", std::int64_t{100}}, {"padding", std::int64_t{4}}, {"flip", true}},
        split));
    check_bytes(*open_dataset("image-folder", {{"path", path}, {"size", std::int64_t{17}}}, split));
    check_bytes(*open_dataset("image-folder",
                              {{"path", path}, {"size", std::int64_t{16}}, {"crop", std::string("centre")}}, split));
  }
}

TEST_CASE("a data set that is not stored as bytes has no normalisation and reads no bytes") {
  const auto data = open_dataset("synthetic", {{"shape", std::string("1x2x2")}});
  CHECK(data->normalisation() == nullptr);
  CHECK(open_dataset("synthetic-text", {})->normalisation() == nullptr);
  CHECK_THROWS_AS(data->read_bytes({}, nullptr, nullptr), ContractError);
}

TEST_CASE("a data set without its corrupt samples reads the bytes of the others") {
  const test::TemporaryFolder folder;
  write_photos(folder.path());
  write_plain(fs::path(folder.path()) / "train/ant/a.png", {1, 2, 3});
  const FilteredDataset sound =
      without_corrupt(open_dataset("image-folder", {{"path", folder.path()}, {"size", std::int64_t{16}}}), 1);
  REQUIRE(sound.left_out.size() == 1);
  check_bytes(*sound.dataset);
}

TEST_CASE("a loader of bytes uses a quarter of the memory and returns the samples' bytes") {
  const test::TemporaryFolder folder;
  write_idx_images(folder.path(), 6, 2, 7);
  const std::shared_ptr<const Dataset> data = open_dataset("idx", {{"path", folder.path()}});
  for (const int workers : {0, 2}) {
    Loader numbers(data, 4, {{1, 4}}, {workers, 1}), bytes(data, 4, {{1, 4}}, {workers, 1}, Contents::all_in_bytes);
    const std::int64_t of_labels = (workers == 0 ? 1 : 2) * 3 * 2 * 4;
    CHECK(4 * (bytes.bytes() - of_labels) == numbers.bytes() - of_labels);
    for (Loader* loader : {&numbers, &bytes}) loader->begin(plain_draws({5, 4, 3, 2, 1, 0}));
    for (int k = 0; k < 2; ++k) {
      const Batch *whole = numbers.next(), *narrow = bytes.next();
      REQUIRE((whole != nullptr && narrow != nullptr));
      CHECK(narrow->labels == whole->labels);
      CHECK(narrow->samples == whole->samples);
      CHECK(narrow->count == whole->count);
      REQUIRE(narrow->values.size() == 3 * 49);
      const auto real = k == 0 ? 3 : 1;
      const auto values = graph::normalised(*data->normalisation(), {1, 7, 7},
                                            reinterpret_cast<const std::uint8_t*>(narrow->values.data()), real);
      CHECK(std::equal(values.begin(), values.end(), reinterpret_cast<const float*>(whole->values.data())));
      for (std::size_t i = static_cast<std::size_t>(real) * 49; i < narrow->values.size(); ++i)
        CHECK(narrow->values[i] == std::byte{0});
    }
  }
}

}  // namespace
}  // namespace ddlbench::workloads
