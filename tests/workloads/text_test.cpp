#include <fstream>

#include "catch.h"
#include "graph/error.h"
#include "temporary_folder.h"
#include "workloads/dataset.h"
#include "workloads/loader.h"

namespace ddlbench::workloads {
namespace {

std::unique_ptr<Dataset> open(const std::string& path, std::int64_t length, double fraction, Split split) {
  const DatasetKind& kind = find_dataset("text");
  const graph::OptionValues options{{"path", path}, {"sequence_length", length}, {"validation_fraction", fraction}};
  return kind.open(graph::with_defaults(kind.options, options), split);
}

std::string refusal(const std::string& path, std::int64_t length, double fraction, Split split) {
  try {
    open(path, length, fraction, split);
  } catch (const BadData& error) {
    return error.what();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

struct Sample {
  std::vector<std::int32_t> tokens, labels;
};

Sample read(const Dataset& data, std::int64_t index) {
  const auto length = static_cast<std::size_t>(data.shape().sample.shape[0]);
  Sample sample{std::vector<std::int32_t>(length), std::vector<std::int32_t>(length)};
  data.read(index, sample.tokens.data(), sample.labels.data());
  return sample;
}

/// A file of the bytes 0, 1, 2, …, size − 1, which wrap at 256.
std::string counting_file(const test::TemporaryFolder& folder, int size) {
  const std::string path = folder / "counting.txt";
  std::ofstream file(path, std::ios::binary);
  for (int i = 0; i < size; ++i) file.put(static_cast<char>(i));
  return path;
}

TEST_CASE("a text's samples are stretches of its bytes, each label the next byte") {
  const test::TemporaryFolder folder;
  const auto data = open(counting_file(folder, 300), 4, 0.1, Split::training);
  CHECK(data->shape().sample == graph::TensorType{{4}, graph::DType::i32});
  CHECK(data->shape().label == graph::Shape{4});
  CHECK(data->shape().classes == 256);
  CHECK(data->shape().is_text());
  REQUIRE(data->size() == 67);  // 270 bytes for training, of which the last is a label alone
  CHECK(read(*data, 0).tokens == std::vector<std::int32_t>{0, 1, 2, 3});
  CHECK(read(*data, 0).labels == std::vector<std::int32_t>{1, 2, 3, 4});
  CHECK(read(*data, 63).tokens == std::vector<std::int32_t>{252, 253, 254, 255});
  CHECK(read(*data, 63).labels == std::vector<std::int32_t>{253, 254, 255, 0});
  CHECK_THROWS_AS(read(*data, 67), ContractError);
}

TEST_CASE("the end of a text is for validation, and never trained on") {
  const test::TemporaryFolder folder;
  const auto data = open(counting_file(folder, 200), 4, 0.1, Split::validation);
  REQUIRE(data->size() == 4);
  CHECK(read(*data, 0).tokens == std::vector<std::int32_t>{180, 181, 182, 183});
  CHECK(read(*data, 3).labels == std::vector<std::int32_t>{193, 194, 195, 196});
}

TEST_CASE("a text that is missing or too short is refused with name and numbers") {
  const test::TemporaryFolder folder;
  const std::string path = counting_file(folder, 100);
  CHECK(refusal("", 4, 0.1, Split::training) == "text: the option path must name a text file; it has no default");
  CHECK(refusal(path + ".gone", 4, 0.1, Split::training) ==
        path + ".gone: there is no such file; name a text file in the option path");
  CHECK(refusal(folder.path(), 4, 0.1, Split::training).find("no such file") != std::string::npos);
  CHECK(refusal(path, 89, 0.1, Split::training) == "accepted");
  CHECK(refusal(path, 90, 0.1, Split::training)
            .find("100 bytes, of which 90 are for training, but one sample takes "
                  "91") != std::string::npos);
  CHECK(refusal(path, 10, 0.1, Split::validation).find("10 are for validation, but one sample takes 11") !=
        std::string::npos);
  CHECK(refusal(path, 4, 0, Split::validation).find("0 are for validation") != std::string::npos);
}

TEST_CASE("a loader counts a text's labels") {
  const test::TemporaryFolder folder;
  Loader loader(open(counting_file(folder, 100), 4, 0.1, Split::training), 3, {{0, 3}});
  loader.begin({0, 1, 2, 3});
  const Batch* batch = loader.next();
  REQUIRE(batch != nullptr);
  CHECK(batch->count == 12);
  CHECK(batch->labels == std::vector<std::int32_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  batch = loader.next();
  REQUIRE(batch != nullptr);
  CHECK(batch->count == 4);
  CHECK(batch->labels[4] == -1);
}

}  // namespace
}  // namespace ddlbench::workloads
