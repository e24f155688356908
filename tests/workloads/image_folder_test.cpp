#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "catch.h"
#include "failure.h"
#include "temporary_folder.h"
#include "workloads/corrupt.h"
#include "workloads/images/image_writers.h"
#include "workloads/images/pillow_files.h"
#include "workloads/loader.h"
#include "workloads/tiny_idx.h"

namespace ddlbench::workloads {
namespace {

namespace fs = std::filesystem;

OptionValues folder_options(const std::string& folder, OptionValues others = {}) {
  others["path"] = folder;
  if (others.count("size") == 0) others["size"] = std::int64_t{16};
  return with_defaults(find_dataset("image-folder").options, others);
}

std::unique_ptr<Dataset> open_folder(const std::string& folder, Split split, OptionValues others = {}) {
  return find_dataset("image-folder").open(folder_options(folder, std::move(others)), split);
}

template <class Error>
std::string folder_failure(const std::string& folder, Split split = Split::training, const OptionValues& others = {}) {
  return test::failure_of<Error>([&] { open_folder(folder, split, others); });
}

void put(const fs::path& path, const Bytes& bytes) {
  fs::create_directories(path.parent_path());
  write_plain(path, bytes);
}

/// Returns a grey image of one level, which identifies the file that a sample comes from.
Bytes flat(int level) {
  return written_png(20, 18, Bytes(20 * 18 * 3, static_cast<std::uint8_t>(level)), 8, 2);
}

/// Writes 3 training images of ant, 1 of bee and 2 of cat, and one validation image of each.
void write_split(const fs::path& top) {
  put(top / "train/ant/b.PNG", flat(2));
  put(top / "train/ant/a.png", flat(1));
  put(top / "train/ant/c.Png", flat(3));
  put(top / "train/bee/x.png", flat(10));
  put(top / "train/cat/y.png", flat(20));
  put(top / "train/cat/z.png", flat(21));
  for (const char* name : {"ant", "bee", "cat"}) put(top / "val" / name / "v.png", flat(100));
}

struct FolderSample {
  FolderSample(const Dataset& dataset, std::int64_t index)
      : values(static_cast<std::size_t>(graph::elements(dataset.shape().sample.shape))) {
    dataset.read({index, 3}, values.data(), &label);
  }
  std::vector<float> values;
  std::int32_t label = -1;
};

std::vector<std::pair<int, int>> contents(const Dataset& dataset) {
  std::vector<std::pair<int, int>> all;
  for (std::int64_t i = 0; i < dataset.size(); ++i) {
    const FolderSample sample(dataset, i);
    all.emplace_back(sample.label, static_cast<int>(sample.values[0] * 255 + 0.5F));
  }
  return all;
}

const OptionValues unnormalised{{"mean", std::string("0,0,0")}, {"std", std::string("1,1,1")}};

TEST_CASE("an image folder's classes are sorted, and its samples alternate between them") {
  const test::TemporaryFolder folder;
  write_split(folder.path());
  const auto train = open_folder(folder.path(), Split::training, unnormalised);
  CHECK(train->shape().sample == graph::TensorType{{3, 16, 16}, graph::DType::f32});
  CHECK(train->shape().classes == 3);
  CHECK(train->may_be_corrupt());
  CHECK(train->remark().empty());
  CHECK(contents(*train) == std::vector<std::pair<int, int>>{{0, 1}, {1, 10}, {2, 20}, {0, 2}, {2, 21}, {0, 3}});
  CHECK(contents(*open_folder(folder.path(), Split::validation, unnormalised)) ==
        std::vector<std::pair<int, int>>{{0, 100}, {1, 100}, {2, 100}});
  OptionValues some = unnormalised;
  some["train_samples"] = std::int64_t{4};
  some["classes"] = std::string("cat, ant");
  CHECK(contents(*open_folder(folder.path(), Split::training, some)) ==
        std::vector<std::pair<int, int>>{{0, 1}, {1, 20}, {0, 2}, {1, 21}});
  CHECK_THROWS_AS(train->read({6, 0}, nullptr, nullptr), ContractError);
}

TEST_CASE("a folder without train and val is split class by class") {
  const test::TemporaryFolder folder;
  for (int i = 0; i < 20; ++i) {
    put(fs::path(folder.path()) / "ant" / ("i" + std::to_string(i) + ".png"), flat(i));
    if (i < 3) put(fs::path(folder.path()) / "bee" / ("i" + std::to_string(i) + ".png"), flat(100 + i));
  }
  auto train = contents(*open_folder(folder.path(), Split::training, unnormalised));
  const auto validation = contents(*open_folder(folder.path(), Split::validation, unnormalised));
  CHECK(train.size() == 18);
  CHECK(validation.size() == 5);  // 4 of 20, and 1 of 3
  CHECK(contents(*open_folder(folder.path(), Split::training, unnormalised)) == train);
  train.insert(train.end(), validation.begin(), validation.end());
  std::sort(train.begin(), train.end());
  CHECK(std::adjacent_find(train.begin(), train.end()) == train.end());
  put(fs::path(folder.path()) / "cat" / "one.png", flat(1));
  test::check_says(folder_failure<BadData>(folder.path()), folder / "cat" + ": a class of one image cannot be divided");
}

TEST_CASE("the parts of an image folder can have other names") {
  const test::TemporaryFolder folder;
  write_split(folder.path());
  const fs::path top = folder.path();
  fs::rename(top / "train", top / "learn");
  fs::rename(top / "val", top / "test");
  put(top / "extra/other.png", flat(9));
  OptionValues named = unnormalised;
  named["train_folder"] = std::string("learn");
  named["validation_folder"] = std::string("test");
  CHECK(open_folder(folder.path(), Split::training, named)->size() == 6);
  CHECK(contents(*open_folder(folder.path(), Split::validation, named)) ==
        std::vector<std::pair<int, int>>{{0, 100}, {1, 100}, {2, 100}});
  named["validation_folder"] = std::string("learn");
  test::check_says(folder_failure<InputError>(folder.path(), Split::training, named), "name the same folder, learn");
  for (const char* wrong : {"", "..", "a/b"}) {
    named["validation_folder"] = std::string(wrong);
    test::check_says(folder_failure<InputError>(folder.path(), Split::training, named),
                     "the option validation_folder must be the name of a folder");
  }
  // With the usual names the parts are classes, and their classes are folders in them.
  fs::remove_all(top / "extra");
  test::check_says(folder_failure<BadData>(folder.path()),
                   folder / "learn" +
                       ": a class without images (.jpg, .jpeg or .png); add some, or leave the class out "
                       "with the option classes; it contains the folders ant, bee, cat: if these are the "
                       "classes, name the parts of the data set in the options train_folder and "
                       "validation_folder");
}

TEST_CASE("a validation_share is rejected where there is a folder val") {
  const test::TemporaryFolder folder;
  write_split(folder.path());
  for (const Split split : {Split::training, Split::validation})
    CHECK(folder_failure<InputError>(folder.path(), split, {{"validation_share", 0.5}}) ==
          folder / "val" +
              ": already contains validation images: leave out the option validation_share, which is for a folder "
              "without train/ and val/");
}

TEST_CASE("files that are not images are counted and reported") {
  const test::TemporaryFolder folder;
  write_split(folder.path());
  put(fs::path(folder.path()) / "train/ant/notes.txt", {'x'});
  put(fs::path(folder.path()) / "train/bee/more/deep.png", flat(1));
  const auto train = open_folder(folder.path(), Split::training);
  CHECK(train->size() == 6);
  CHECK(train->remark() == folder.path() +
                               ": 2 entries of the training classes are not .jpg, .jpeg or .png files and " +
                               "are not samples");
}

TEST_CASE("an unusable image folder is rejected with the problem") {
  const test::TemporaryFolder folder;
  const std::string top = folder / "photos";
  test::check_says(folder_failure<InputError>(""), "the option path must name a folder of images");
  test::check_says(folder_failure<BadData>(top), top + ": the folder does not exist");
  fs::create_directories(top);
  test::check_says(folder_failure<BadData>(top), top + ": contains no folders, so no classes");
  fs::create_directories(top + "/train/ant");
  fs::create_directories(top + "/test/ant");
  test::check_says(folder_failure<BadData>(top),
                   top +
                       ": has no folder val; the folders there are: test, train; set the option "
                       "validation_folder to the one of the validation images");
  test::check_says(folder_failure<BadData>(top, Split::training, {{"train_folder", std::string("training")}}),
                   top + ": has no folder training; the folders there are: test, train; set the option train_folder");
  fs::create_directories(top + "/val/ant");
  test::check_says(folder_failure<BadData>(top), "only one class, ant");
  put(top + "/train/bee/a.png", flat(1));
  test::check_says(folder_failure<BadData>(top), top + "/train/ant: a class without images");
  put(top + "/train/ant/a.png", flat(1));
  CHECK(open_folder(top, Split::training)->size() == 2);
  test::check_says(folder_failure<BadData>(top, Split::validation), top + "/val/ant: a class without images");
  put(top + "/val/ant/a.png", flat(1));
  test::check_says(folder_failure<BadData>(top, Split::validation), top + "/val/bee: a class without images");
  put(top + "/val/bee/a.png", flat(1));
  put(top + "/val/wasp/a.png", flat(1));
  test::check_says(folder_failure<BadData>(top), top + "/val/wasp: a validation class that training lacks");
  fs::remove_all(top + "/val/wasp");
  CHECK(folder_failure<BadData>(top) == "nothing was thrown");

  test::check_says(folder_failure<InputError>(top, Split::training, {{"classes", std::string("bea,ant,hornet")}}),
                   "'bea' (did you mean 'bee'?), 'hornet'; available: ant, bee");
  test::check_says(folder_failure<InputError>(top, Split::training, {{"classes", std::string("ant,ant")}}),
                   "names 'ant' twice");
  test::check_says(folder_failure<InputError>(top, Split::training, {{"classes", std::string("ant,,bee")}}),
                   "has an empty name");
  test::check_says(folder_failure<InputError>(top, Split::training, {{"train_samples", std::int64_t{3}}}),
                   "has 2 training images, fewer than the 3 requested");
  test::check_says(folder_failure<InputError>(top, Split::training, {{"shorter_side", std::int64_t{15}}}),
                   "shorter_side of 15 is less");
  test::check_says(folder_failure<InputError>(top, Split::training, {{"std", std::string("1,1")}}),
                   "the option std must be three numbers");
}

TEST_CASE("a corrupt image is reported by name when it is read, and can be left out") {
  const test::TemporaryFolder folder;
  write_split(folder.path());
  const std::string cut = folder / "train/bee/x.png", empty = folder / "train/cat/y.png";
  Bytes bytes = read_all(cut);
  bytes.resize(bytes.size() / 2);
  write_plain(cut, bytes);
  write_plain(empty, {});
  std::shared_ptr<const Dataset> train = open_folder(folder.path(), Split::training, unnormalised);
  std::int32_t label = -1;
  train->read_labels({1, 0}, &label);  // opens no file
  CHECK(label == 1);
  try {
    FolderSample(*train, 1);
    FAIL("nothing was thrown");
  } catch (const BadData& error) {
    test::check_says(error.what(), cut + ": corrupt image data: premature end of the file");
  }
  const FilteredDataset sound = without_corrupt(train, 2);
  REQUIRE(sound.left_out.size() == 2);
  test::check_says(sound.left_out[1].why, empty + ": an empty file");
  CHECK(contents(*sound.dataset) == std::vector<std::pair<int, int>>{{0, 1}, {0, 2}, {2, 21}, {0, 3}});
}

TEST_CASE("image crops do not depend on the number of workers") {
  const test::TemporaryFolder folder;
  for (int i = 0; i < 6; ++i) {
    for (const char* name : {"train/ant", "train/bee", "val/ant", "val/bee"}) {
      put(fs::path(folder.path()) / name / ("i" + std::to_string(i) + ".jpg"),
          written_jpeg(60 + 7 * i, 50, noise(60 + 7 * i, 50), {}));
    }
  }
  const std::shared_ptr<const Dataset> train = open_folder(folder.path(), Split::training);
  const auto epoch_with = [&](int workers, std::uint64_t epoch) {
    Loader loader(train, 5, {{0, 2}, {2, 5}}, {workers, 2});
    loader.begin(epoch_draws(1, static_cast<std::int64_t>(epoch),
                             epoch_order(1, static_cast<std::int64_t>(epoch), train->size())));
    std::string all;
    while (const Batch* batch = loader.next()) {
      all.append(reinterpret_cast<const char*>(batch->values.data()), batch->values.size());
      all.append(reinterpret_cast<const char*>(batch->labels.data()), batch->labels.size() * sizeof(std::int32_t));
    }
    return all;
  };
  const std::string alone = epoch_with(0, 0);
  CHECK(alone.size() == 15 * (3 * 16 * 16 + 1) * 4);
  CHECK(epoch_with(1, 0) == alone);
  CHECK(epoch_with(4, 0) == alone);
  CHECK(epoch_with(1, 1) != alone);
}

}  // namespace
}  // namespace ddlbench::workloads
