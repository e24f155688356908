#include <sys/stat.h>

#include <filesystem>

#include "base/error.h"
#include "catch.h"
#include "failure.h"
#include "temporary_folder.h"
#include "workloads/dataset.h"
#include "workloads/tiny_idx.h"

namespace ddlbench::workloads {
namespace {

/// Appends a record: labels, then planes in which value = first + channel·50 + row + column.
void append(Bytes& file, const Bytes& labels, int first) {
  file.insert(file.end(), labels.begin(), labels.end());
  for (int c = 0; c < 3; ++c) {
    for (int y = 0; y < 32; ++y) {
      for (int x = 0; x < 32; ++x) file.push_back(static_cast<std::uint8_t>(first + c * 50 + y + x));
    }
  }
}

void write_ten(const test::TemporaryFolder& folder) {
  for (int i = 1; i <= 5; ++i) {
    Bytes file;
    append(file, {static_cast<std::uint8_t>(i)}, i);
    append(file, {static_cast<std::uint8_t>(i + 4)}, 10 + i);
    write_plain(folder / ("data_batch_" + std::to_string(i) + ".bin"), file);
  }
  Bytes test;
  append(test, {0}, 0);
  write_plain(folder / "test_batch.bin", test);
}

std::unique_ptr<Dataset> open_cifar(const test::TemporaryFolder& folder, Split split, OptionValues others = {}) {
  others["path"] = folder.path();
  if (others.count("mean") == 0) others["mean"] = std::string("0,0,0");
  if (others.count("std") == 0) others["std"] = std::string("1,1,1");
  const DatasetKind& kind = find_dataset("cifar");
  return kind.open(with_defaults(kind.options, others), split);
}

std::string cifar_failure(const test::TemporaryFolder& folder, Split split = Split::training,
                          const OptionValues& others = {}) {
  return test::failure_of([&] { open_cifar(folder, split, others); });
}

struct CifarSample {
  CifarSample(const Dataset& dataset, SampleDraw draw) : values(3 * 32 * 32) {
    dataset.read(draw, values.data(), &label);
  }
  float at(int channel, int y, int x) const { return values[static_cast<std::size_t>((channel * 32 + y) * 32 + x)]; }
  std::vector<float> values;
  std::int32_t label = -1;
};

TEST_CASE("a FIFO in place of a CIFAR file is rejected without blocking", "[F14]") {
  const test::TemporaryFolder folder;
  write_ten(folder);
  const std::string pipe = folder / "data_batch_2.bin";
  REQUIRE(std::filesystem::remove(pipe));
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(cifar_failure(folder) == pipe + ": is not a regular file");
}

TEST_CASE("CIFAR-10 has the samples of its files in order, normalised") {
  const test::TemporaryFolder folder;
  write_ten(folder);
  const auto train = open_cifar(folder, Split::training,
                                {{"mean", std::string("0.1,0.2,0.3")}, {"std", std::string("0.5,0.25,0.125")}});
  REQUIRE(train->size() == 10);
  REQUIRE(train->shape().sample == graph::TensorType{{3, 32, 32}, graph::DType::f32});
  CHECK(train->shape().classes == 10);
  CHECK_FALSE(train->may_be_corrupt());
  const CifarSample sample(*train, {5, 0});  // the second sample of data_batch_3.bin
  CHECK(sample.label == 7);
  std::int32_t alone = -1;
  train->read_labels({5, 0}, &alone);
  CHECK(alone == 7);
  CHECK(sample.at(0, 0, 0) == Approx((13 / 255.0 - 0.1) / 0.5));
  CHECK(sample.at(1, 2, 31) == Approx(((13 + 50 + 33) / 255.0 - 0.2) / 0.25));
  CHECK(sample.at(2, 31, 0) == Approx(((13 + 100 + 31) / 255.0 - 0.3) / 0.125));
  CHECK(open_cifar(folder, Split::validation)->size() == 1);
  CHECK(open_cifar(folder, Split::training, {{"train_samples", std::int64_t{3}}})->size() == 3);
  test::check_says(cifar_failure(folder, Split::training, {{"train_samples", std::int64_t{11}}}),
                   "has 10 training samples, fewer than");
  CHECK_THROWS_AS(train->read({10, 0}, nullptr, nullptr), ContractError);
}

TEST_CASE("CIFAR-100 has fine and coarse labels") {
  const test::TemporaryFolder folder;
  Bytes train, test;
  append(train, {19, 99}, 1);
  append(train, {3, 42}, 2);
  append(test, {0, 7}, 3);
  write_plain(folder / "train.bin", train);
  write_plain(folder / "test.bin", test);
  const OptionValues fine{{"classes", std::int64_t{100}}};
  OptionValues coarse = fine;
  coarse["labels"] = std::string("coarse");
  const auto by_fine = open_cifar(folder, Split::training, fine),
             by_coarse = open_cifar(folder, Split::training, coarse);
  CHECK(by_fine->shape().classes == 100);
  CHECK(by_coarse->shape().classes == 20);
  const CifarSample sample(*by_fine, {1, 0});
  CHECK(sample.label == 42);
  CHECK(sample.at(0, 0, 0) == 2 / 255.0F);
  CHECK(CifarSample(*by_coarse, {1, 0}).label == 3);
  train[0] = 20;
  write_plain(folder / "train.bin", train);
  test::check_says(cifar_failure(folder, Split::training, coarse), "label 20 of record 0 is outside the 20 classes");
}

TEST_CASE("CIFAR images are shifted over a black border and mirrored as the draw determines") {
  const test::TemporaryFolder folder;
  write_ten(folder);
  const auto plain = open_cifar(folder, Split::training);
  const auto moved = open_cifar(folder, Split::training, {{"padding", std::int64_t{4}}, {"flip", true}});
  const CifarSample original(*plain, {0, 0});
  int kinds = 0;
  for (std::uint64_t key = 0; key < 12; ++key) {
    const CifarSample sample(*moved, {0, key});
    CHECK(CifarSample(*moved, {0, key}).values == sample.values);
    int fits = 0;
    for (int down = -4; down <= 4; ++down) {
      for (int right = -4; right <= 4; ++right) {
        for (const bool mirrored : {false, true}) {
          bool equal = true;
          for (int y = 0; equal && y < 32; ++y) {
            for (int x = 0; equal && x < 32; ++x) {
              const int row = y + down, column = (mirrored ? 31 - x : x) + right;
              const bool inside = row >= 0 && row < 32 && column >= 0 && column < 32;
              equal = sample.at(0, y, x) == (inside ? original.at(0, row, column) : 0.0F);
            }
          }
          if (equal) kinds |= mirrored ? 1 : 2;
          fits += equal ? 1 : 0;
        }
      }
    }
    CHECK(fits == 1);
  }
  CHECK(kinds == 3);
  const auto validation = open_cifar(folder, Split::validation, {{"padding", std::int64_t{4}}, {"flip", true}});
  CHECK(CifarSample(*validation, {0, 1}).values == CifarSample(*validation, {0, 2}).values);
}

TEST_CASE("a damaged CIFAR file is rejected with its name and the problem") {
  const test::TemporaryFolder folder;
  write_ten(folder);
  const std::string path = folder / "data_batch_4.bin";
  Bytes file = read_all(path);
  SECTION("missing") {
    std::filesystem::remove(path);
    test::check_says(cifar_failure(folder), path + ": missing");
  }
  SECTION("truncated") {
    file.pop_back();
    write_plain(path, file);
    test::check_says(cifar_failure(folder), path + ": has 6145 bytes, but must consist of whole records of 3073 bytes");
  }
  SECTION("empty") {
    write_plain(path, {});
    test::check_says(cifar_failure(folder), path + ": has 0 bytes");
  }
  SECTION("a label outside the classes") {
    file[3073] = 10;
    write_plain(path, file);
    test::check_says(cifar_failure(folder), path + ": label 10 of record 1 is outside the 10 classes");
  }
  SECTION("classes that there are not") {
    test::check_says(cifar_failure(folder, Split::training, {{"classes", std::int64_t{20}}}),
                     "must be 10 or 100, but is 20");
  }
}

}  // namespace
}  // namespace ddlbench::workloads
