#include <sys/stat.h>

#include <filesystem>

#include "base/error.h"
#include "catch.h"
#include "failure.h"
#include "skip.h"
#include "temporary_folder.h"
#include "tiny_idx.h"
#include "workloads/dataset.h"
#include "workloads/datasets/gzip_file.h"

namespace ddlbench::workloads {
namespace {

namespace fs = std::filesystem;

OptionValues idx_options(const fs::path& folder, OptionValues others = {}) {
  others["path"] = folder.string();
  return with_defaults(find_dataset("idx").options, others);
}

std::unique_ptr<Dataset> open_idx(const fs::path& folder, Split split, OptionValues others = {}) {
  return find_dataset("idx").open(idx_options(folder, std::move(others)), split);
}

std::string idx_failure(const fs::path& folder, Split split = Split::training, OptionValues others = {}) {
  return test::failure_of<BadData>([&] { open_idx(folder, split, std::move(others)); });
}

TEST_CASE("idx files are read plain or compressed, and normalised") {
  const test::TemporaryFolder folder;
  write_tiny(folder.path());
  const auto train = open_idx(folder.path(), Split::training, {{"mean", 0.5}, {"std", 0.25}});
  REQUIRE(train->size() == 3);
  REQUIRE(train->shape().sample == graph::TensorType{{1, 2, 2}, graph::DType::f32});
  REQUIRE(train->shape().label.empty());
  float values[4];
  std::int32_t label = -1;
  train->read({2}, values, &label);
  CHECK(label == 2);
  for (int j = 0; j < 4; ++j) CHECK(values[j] == Approx(((20 + j) / 255.0 - 0.5) / 0.25));

  const auto validation = open_idx(folder.path(), Split::validation, {{"mean", 0.0}, {"std", 1.0}});
  REQUIRE(validation->size() == 2);
  validation->read({0}, values, &label);
  CHECK(label == 1);
  CHECK(values[0] == 0.0F);
  CHECK(values[1] == 1.0F);
  CHECK_THROWS_AS(validation->read({2}, values, &label), ContractError);
  CHECK_THROWS_AS(validation->read_labels({2}, &label), ContractError);
}

TEST_CASE("a limit selects the first samples of idx files") {
  const test::TemporaryFolder folder;
  write_tiny(folder.path());
  CHECK(open_idx(folder.path(), Split::training, {{"train_samples", std::int64_t{2}}})->size() == 2);
  CHECK_THROWS_AS(open_idx(folder.path(), Split::training, {{"train_samples", std::int64_t{9}}}), InputError);
  CHECK(open_idx(folder.path(), Split::validation, {{"validation_samples", std::int64_t{1}}})->size() == 1);
}

TEST_CASE("an error for a missing folder or file names it and the remedy") {
  const test::TemporaryFolder folder;
  const std::string nowhere = idx_failure(folder / "nowhere");
  test::check_says(nowhere, folder / "nowhere");
  test::check_says(nowhere, "apt install dataset-fashion-mnist");
  write_tiny(folder.path());
  fs::remove(folder / "train-labels-idx1-ubyte");
  const std::string missing = idx_failure(folder.path());
  test::check_says(missing, folder / "train-labels-idx1-ubyte");
  test::check_says(missing, "apt install dataset-fashion-mnist");
}

TEST_CASE("a damaged idx file is rejected with its name and the problem") {
  const test::TemporaryFolder folder;
  write_tiny(folder.path());
  const fs::path images = folder / "train-images-idx3-ubyte";
  const fs::path labels = folder / "train-labels-idx1-ubyte";

  SECTION("truncated data") {
    write_plain(images, idx_bytes({3, 2, 2}, {1, 2, 3, 4, 5}));
    const std::string message = idx_failure(folder.path());
    test::check_says(message, images.string());
    test::check_says(message, "truncated: its header says 3 items of 4 bytes, but it ends after 5 bytes");
  }
  SECTION("truncated header") {
    write_plain(images, {0, 0, 8, 3, 0, 0});
    test::check_says(idx_failure(folder.path()), "truncated in its header, at dimension 0");
  }
  SECTION("empty file") {
    write_plain(images, {});
    test::check_says(idx_failure(folder.path()), "shorter than the 4 bytes");
  }
  SECTION("another format") {
    write_plain(images, {0x89, 'P', 'N', 'G', 1, 2, 3});
    test::check_says(idx_failure(folder.path()), "begins with 0x89504e47");
  }
  SECTION("another element type") {
    Bytes floats = idx_bytes({3, 2, 2}, Bytes(48, 0));
    floats[2] = 0x0D;
    write_plain(images, floats);
    test::check_says(idx_failure(folder.path()), "begins with 0x00000d03");
  }
  SECTION("labels in place of images") {
    write_plain(images, idx_bytes({3}, {0, 1, 2}));
    test::check_says(idx_failure(folder.path()), "has 1 dimensions");
  }
  SECTION("images in place of labels") {
    write_plain(labels, idx_bytes({3, 2}, Bytes(6, 0)));
    test::check_says(idx_failure(folder.path()), "has 2 dimensions, but labels have 1");
  }
  SECTION("a header that promises more than there is memory") {
    write_plain(images, idx_bytes({0xFFFF, 0x1FF, 0x1FF}, {1, 2, 3}));
    test::check_says(idx_failure(folder.path()), "truncated");
    write_plain(images, idx_bytes({0xFFFFFFFF, 0x7FFF, 0x7FFF}, {1, 2, 3}));
    test::check_says(idx_failure(folder.path()), "are more than the 17179869184 bytes that are kept in memory");
    write_plain(images, idx_bytes({3, 0xFFFFFFFF, 0xFFFFFFFF}, {1, 2, 3}));
    test::check_says(idx_failure(folder.path()), "an item has more than");
  }
  SECTION("a dimension of nothing") {
    write_plain(images, idx_bytes({3, 0, 2}, {}));
    test::check_says(idx_failure(folder.path()), "dimension 1 is 0");
  }
  SECTION("bytes after the end") {
    write_plain(labels, idx_bytes({3}, {0, 1, 2, 3}));
    test::check_says(idx_failure(folder.path()), "has extra bytes after the 3 items");
  }
  SECTION("counts that disagree") {
    write_plain(labels, idx_bytes({2}, {0, 1}));
    test::check_says(idx_failure(folder.path()), "holds 3 samples, but " + labels.string() + " holds 2 labels");
  }
  SECTION("a label outside the classes") {
    test::check_says(idx_failure(folder.path(), Split::training, {{"classes", std::int64_t{2}}}),
                     "label 2 of sample 2 is outside the 2 classes");
  }
}

TEST_CASE("damaged gzip files are rejected") {
  const test::TemporaryFolder folder;
  write_tiny(folder.path());
  const fs::path images = folder / "t10k-images-idx3-ubyte.gz";
  // Noise, so that there is compressed data to damage.
  Bytes noise(2 * 64 * 64);
  std::uint32_t state = 1;
  for (std::uint8_t& value : noise) value = static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 24);
  write_gzip(images, idx_bytes({2, 64, 64}, noise));
  Bytes packed = read_all(images);
  REQUIRE(packed.size() > 4000);

  SECTION("as it was") {
    CHECK(open_idx(folder.path(), Split::validation)->shape().sample.shape[1] == 64);
  }
  SECTION("cut") {
    packed.resize(packed.size() / 2);
    write_plain(images, packed);
    const std::string message = idx_failure(folder.path(), Split::validation);
    test::check_says(message, images.string());
    test::check_says(message, "truncated");
  }
  SECTION("a byte of the checksum changed") {
    packed[packed.size() - 6] ^= 0xFF;
    write_plain(images, packed);
    test::check_says(idx_failure(folder.path(), Split::validation), "corrupt gzip data");
  }
  SECTION("the header changed") {
    packed[2] = 0x55;
    write_plain(images, packed);
    test::check_says(idx_failure(folder.path(), Split::validation), "corrupt gzip data");
  }
  SECTION("any byte changed, or cut anywhere") {
    for (std::size_t i = 0; i < packed.size(); i += 97) {
      INFO(i);
      Bytes cut(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>(i));
      write_plain(images, cut);
      test::check_says(idx_failure(folder.path(), Split::validation), "truncated");
      if (i < 10) continue;  // time, flags and system of the header have no effect
      Bytes changed = packed;
      changed[i] ^= 0x10;
      write_plain(images, changed);
      test::check_says(idx_failure(folder.path(), Split::validation), images.string());
    }
  }
}

TEST_CASE("an error in gzip data says what is invalid") {
  const test::TemporaryFolder folder;
  const auto check_error = [&](const Bytes& data, const std::string& what) {
    Bytes packed{0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3};
    packed.insert(packed.end(), data.begin(), data.end());
    packed.resize(packed.size() + 16);
    write_plain(folder / "odd.gz", packed);
    GzipFile file(folder / "odd.gz");
    Bytes read(8);
    const std::string message = test::failure_of<BadData>([&] { file.read(read.data(), read.size()); });
    test::check_says(message, (folder / "odd.gz") + ": corrupt gzip data after ");
    test::check_says(message, " unpacked bytes: " + what);
  };
  // Bits of a last block, from the lowest: 1 (last), 2 of its type, then codes.
  check_error({0b111}, "invalid block");                              // type 3 does not exist
  check_error({0b00011011, 0b011}, "invalid symbol");                 // fixed codes: 286 has no meaning
  check_error({0b00000011, 0b010}, "invalid distance too far back");  // copies 3 bytes from before the first
}

TEST_CASE("gzip members that follow each other are one file") {
  const test::TemporaryFolder folder;
  Bytes whole(3'000'000);
  std::uint32_t state = 1;
  for (std::uint8_t& value : whole) value = static_cast<std::uint8_t>((state = state * 1664525u + 1013904223u) >> 30);
  const auto part = [&](std::size_t begin, std::size_t end) {
    const fs::path path = folder / "part.gz";
    write_gzip(path, Bytes(whole.begin() + static_cast<std::ptrdiff_t>(begin),
                           whole.begin() + static_cast<std::ptrdiff_t>(end)));
    return read_all(path);
  };
  Bytes packed = part(0, 2'000'000);
  for (const Bytes& next : {part(2'000'000, 2'000'000), part(2'000'000, whole.size()), Bytes{0, 0, 0}})
    packed.insert(packed.end(), next.begin(), next.end());
  write_plain(folder / "members.gz", packed);

  GzipFile file(folder / "members.gz");
  Bytes read(whole.size() + 10);
  CHECK(file.read(read.data(), 7) == 7);
  CHECK(file.read(read.data() + 7, read.size() - 7) == whole.size() - 7);
  read.resize(whole.size());
  CHECK((read == whole));
}

TEST_CASE("a FIFO in place of an idx file is rejected without blocking", "[F14]") {
  const test::TemporaryFolder folder;
  write_tiny(folder.path());
  const std::string pipe = folder / "train-labels-idx1-ubyte";
  fs::remove(pipe);
  fs::remove(pipe + ".gz");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK_THROWS_MATCHES(open_idx(folder.path(), Split::training), BadData,
                       Catch::Message(pipe + ": is not a regular file"));
}

TEST_CASE("a standard deviation of 0 is rejected") {
  const test::TemporaryFolder folder;
  write_tiny(folder.path());
  CHECK_THROWS_AS(open_idx(folder.path(), Split::training, {{"std", 0.0}}), InputError);
}

TEST_CASE("Fashion-MNIST has its known size, first labels and statistics") {
  const fs::path folder = "/usr/share/datasets/fashion-mnist";
  if (!fs::exists(folder)) {
    return test::skip("Fashion-MNIST is not installed (apt install dataset-fashion-mnist)");
  }
  const auto train = open_idx(folder, Split::training);
  const auto validation = open_idx(folder, Split::validation);
  REQUIRE(train->size() == 60000);
  REQUIRE(validation->size() == 10000);
  std::vector<float> values(784);
  std::int32_t label = -1;
  train->read({0}, values.data(), &label);
  CHECK(label == 9);
  validation->read({0}, values.data(), &label);
  CHECK(label == 9);
  double sum = 0;
  double squares = 0;
  for (std::int64_t i = 0; i < 2000; ++i) {
    train->read({i}, values.data(), &label);
    for (const float value : values) {
      sum += value;
      squares += double{value} * value;
    }
  }
  const double count = 2000.0 * 784;
  CHECK(sum / count == Approx(0.0).margin(0.02));
  CHECK(squares / count == Approx(1.0).margin(0.03));
}

}  // namespace
}  // namespace ddlbench::workloads
