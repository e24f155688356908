#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "catch.h"
#include "failure.h"
#include "temporary_folder.h"
#include "text/tiny_vocabulary.h"
#include "workloads/dataset.h"
#include "workloads/loader.h"

namespace ddlbench::workloads {
namespace {

std::unique_ptr<Dataset> open_text(const OptionValues& options, Split split) {
  const DatasetKind& kind = find_dataset("text");
  return kind.open(with_defaults(kind.options, options), split);
}

std::unique_ptr<Dataset> open_text(const std::string& path, std::int64_t length, double fraction, Split split) {
  return open_text({{"path", path}, {"sequence_length", length}, {"validation_fraction", fraction}}, split);
}

std::string text_rejection(const OptionValues& options, Split split = Split::training) {
  return test::failure_of([&] { open_text(options, split); });
}

std::string text_rejection(const std::string& path, std::int64_t length, double fraction, Split split) {
  return text_rejection({{"path", path}, {"sequence_length", length}, {"validation_fraction", fraction}}, split);
}

struct TextSample {
  std::vector<std::int32_t> tokens, labels;
};

TextSample read_text(const Dataset& data, std::int64_t index) {
  const auto length = static_cast<std::size_t>(data.shape().sample.shape[0]);
  TextSample sample{std::vector<std::int32_t>(length), std::vector<std::int32_t>(length)};
  data.read({index}, sample.tokens.data(), sample.labels.data());
  return sample;
}

/// Writes a file of the bytes 0, 1, 2, …, size − 1, which wrap at 256.
std::string counting_file(const test::TemporaryFolder& folder, int size) {
  const std::string path = folder / "counting.txt";
  std::ofstream file(path, std::ios::binary);
  for (int i = 0; i < size; ++i) file.put(static_cast<char>(i));
  return path;
}

TEST_CASE("a text's samples are windows of its bytes, and each label is the next byte") {
  const test::TemporaryFolder folder;
  const auto data = open_text(counting_file(folder, 300), 4, 0.1, Split::training);
  CHECK(data->shape().sample == graph::TensorType{{4}, graph::DType::i32});
  CHECK(data->shape().label == graph::Shape{4});
  CHECK(data->shape().classes == 256);
  CHECK(data->shape().is_text());
  REQUIRE(data->size() == 67);  // 270 bytes for training, of which the last is only a label
  CHECK(read_text(*data, 0).tokens == std::vector<std::int32_t>{0, 1, 2, 3});
  CHECK(read_text(*data, 0).labels == std::vector<std::int32_t>{1, 2, 3, 4});
  CHECK(read_text(*data, 63).tokens == std::vector<std::int32_t>{252, 253, 254, 255});
  CHECK(read_text(*data, 63).labels == std::vector<std::int32_t>{253, 254, 255, 0});
  CHECK_THROWS_AS(read_text(*data, 67), ContractError);
}

TEST_CASE("the end of a text is held out for validation") {
  const test::TemporaryFolder folder;
  const auto data = open_text(counting_file(folder, 200), 4, 0.1, Split::validation);
  REQUIRE(data->size() == 4);
  CHECK(read_text(*data, 0).tokens == std::vector<std::int32_t>{180, 181, 182, 183});
  CHECK(read_text(*data, 3).labels == std::vector<std::int32_t>{193, 194, 195, 196});
}

TEST_CASE("a missing or too short text is rejected with its name and the numbers") {
  const test::TemporaryFolder folder;
  const std::string path = counting_file(folder, 100);
  CHECK(text_rejection("", 4, 0.1, Split::training) ==
        "text: the option path must name a text file; it has no default");
  CHECK(text_rejection(path + ".gone", 4, 0.1, Split::training) ==
        path + ".gone: cannot be opened: No such file or directory; name a text file in the option path");
  CHECK(text_rejection(folder.path(), 4, 0.1, Split::training) ==
        folder.path() + ": is a folder, not a file; name a text file in the option path");
  const std::string pipe = folder / "pipe", empty = folder / "empty";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(text_rejection(pipe, 4, 0.1, Split::training) ==
        pipe + ": is not a regular file; name a text file in the option path");
  std::ofstream{empty};
  CHECK(text_rejection(empty, 4, 0.1, Split::training) == empty + ": is empty; name a text file in the option path");
  CHECK(text_rejection(path, 89, 0.1, Split::training) == "nothing was thrown");
  CHECK(text_rejection(path, 90, 0.1, Split::training)
            .find("100 bytes, 90 of them for training, but one sample takes "
                  "91") != std::string::npos);
  CHECK(text_rejection(path, 10, 0.1, Split::validation).find("10 of them for validation, but one sample takes 11") !=
        std::string::npos);
  CHECK(text_rejection(path, 4, 0.001, Split::validation).find("0 of them for validation") != std::string::npos);
}

TEST_CASE("an option of a text without effect is rejected") {
  const test::TemporaryFolder folder;
  const OptionValue path = counting_file(folder, 100);
  CHECK(text_rejection({{"path", path}, {"validation_tokens", std::int64_t{30}}, {"validation_fraction", 0.1}}) ==
        "text: the options validation_tokens and validation_fraction exclude each other; leave one out");
  CHECK(text_rejection({{"path", path}, {"vocabulary", std::string("gpt2")}}).find("leave out the option vocabulary") !=
        std::string::npos);
  CHECK(open_text({{"path", path}, {"sequence_length", std::int64_t{1}}}, Split::validation)->size() == 9);
}

TEST_CASE("the first tokens may be held out for validation instead") {
  const test::TemporaryFolder folder;
  const OptionValues options{{"path", counting_file(folder, 100)},
                             {"sequence_length", std::int64_t{4}},
                             {"validation_tokens", std::int64_t{30}}};
  const auto validation = open_text(options, Split::validation), training = open_text(options, Split::training);
  CHECK(validation->size() == 7);
  CHECK(read_text(*validation, 0).tokens == std::vector<std::int32_t>{0, 1, 2, 3});
  CHECK(training->size() == 17);
  CHECK(read_text(*training, 0).tokens == std::vector<std::int32_t>{30, 31, 32, 33});
  OptionValues all = options;
  all["validation_tokens"] = std::int64_t{101};
  CHECK(text_rejection(all) ==
        folder / "counting.txt" +
            ": has 100 bytes, 0 of them for training, but one sample takes 5; use a longer text, "
            "a smaller sequence_length or another number of validation_tokens");
}

/// The text "ab ab\n\nab b", which has 7 tokens, or 9 with end-of-text tokens.
struct TokenisedText {
  test::TinyVocabulary files{test::TinyVocabulary::Merges{{"a", "b"}, {test::blank, "ab"}}};
  std::string path = files.folder / "text.txt";
  OptionValues options{{"path", path},
                       {"tokenizer", std::string("gpt2")},
                       {"vocabulary", files.path()},
                       {"sequence_length", std::int64_t{2}},
                       {"validation_fraction", 1e-3}};
  TokenisedText() { std::ofstream(path) << "ab ab\n\nab b"; }
};

TEST_CASE("a text with a vocabulary is split into its tokens") {
  TokenisedText text;
  const auto data = open_text(text.options, Split::training);
  CHECK(data->shape().classes == 259);
  REQUIRE(data->size() == 3);  // ab, ␣ab, \n, \n, ab, ␣, b
  CHECK(read_text(*data, 0).tokens == std::vector<std::int32_t>{256, 257});
  CHECK(read_text(*data, 1).labels[1] == 256);
  text.options["end_of_text"] = true;
  const auto ended = open_text(text.options, Split::training);
  REQUIRE(ended->size() == 4);
  CHECK(read_text(*ended, 0).tokens == std::vector<std::int32_t>{258, 256});
  CHECK(read_text(*ended, 2).labels == std::vector<std::int32_t>{258, 256});
}

TEST_CASE("a text's tokens are cached until the text changes") {
  TokenisedText text;
  const std::string cache = text.files.folder / "text.tokens";
  text.options["cache"] = cache;
  const auto first = read_text(*open_text(text.options, Split::training), 0);
  const auto written = std::filesystem::last_write_time(cache);
  CHECK(read_text(*open_text(text.options, Split::training), 0).tokens == first.tokens);
  CHECK(std::filesystem::last_write_time(cache) == written);
  std::ofstream(text.path) << "b ab\n\nab b";
  CHECK(read_text(*open_text(text.options, Split::training), 0).tokens == std::vector<std::int32_t>{'b', 257});
}

TEST_CASE("a text's identity depends on its content, not on paths or the cache") {
  const DatasetKind& kind = find_dataset("text");
  const auto identity = [&kind](const OptionValues& options) {
    return kind.identity(with_defaults(kind.options, options));
  };
  TokenisedText here, there;
  const OptionValues said = identity(here.options);
  there.options["cache"] = there.files.folder / "text.tokens";
  CHECK(identity(there.options) == said);
  CHECK(said.count("cache") == 0);
  CHECK(std::get<std::int64_t>(said.at("sequence_length")) == 2);
  there.options["end_of_text"] = true;
  CHECK(identity(there.options) != said);
  std::ofstream(here.path, std::ios::app) << "!";
  CHECK(identity(here.options) != said);
  CHECK_THROWS_AS(identity({{"path", here.path + ".gone"}}), BadData);
}

TEST_CASE("a token out of the vocabulary is rejected when it is read") {
  TokenisedText text;
  const std::string cache = text.files.folder / "text.tokens";
  text.options["cache"] = cache;
  open_text(text.options, Split::training);
  const auto data = open_text(text.options, Split::training);  // reads the cache that the previous one wrote
  std::fstream file(cache, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(72 + 2 * 3);
  file.write("\xff\xff", 2);
  file.close();
  CHECK(text_rejection(text.options).starts_with(cache + ": its tokens were changed since they were written"));
  CHECK(read_text(*data, 0).tokens == std::vector<std::int32_t>{256, 257});
  CHECK_THROWS_WITH(read_text(*data, 1), cache +
                                             ": token 65535 of sample 1 is outside the vocabulary of 259; the file is "
                                             "damaged: delete it, and ddlbench creates it again");
}

TEST_CASE("a file of text or tokens that is truncated while in use is reported by name", "[F14]") {
  const test::TemporaryFolder folder;
  const std::string path = counting_file(folder, 3 * 4096);
  const auto bytes = open_text(path, 4, 0.1, Split::training);
  std::filesystem::resize_file(path, 4096 + 6);
  CHECK(read_text(*bytes, 1024).tokens == std::vector<std::int32_t>{0, 1, 2, 3});
  CHECK_THROWS_MATCHES(read_text(*bytes, 1025), BadData,
                       Catch::Message(path + ": was truncated at byte 4102 while it was read"));
  CHECK_THROWS_AS(read_text(*bytes, 2500), BadData);

  TokenisedText text;
  const std::string cache = text.files.folder / "text.tokens";
  text.options["cache"] = cache;
  open_text(text.options, Split::training);
  const auto kept = open_text(text.options, Split::training);
  std::filesystem::resize_file(cache, 72 + 2 * 2);
  CHECK_THROWS_MATCHES(read_text(*kept, 0), BadData,
                       Catch::Message(cache + ": was truncated at byte 76 while it was read"));
}

TEST_CASE("options that a tokenizer does not support are rejected") {
  TokenisedText text;
  OptionValues options = text.options;
  options["vocabulary"] = std::string();
  CHECK(text_rejection(options).find("needs the option vocabulary") != std::string::npos);
  options = text.options;
  options["vocabulary"] = text.files.folder / "none";
  CHECK(text_rejection(options).find("none/encoder.json: cannot be opened: No such file or directory; set the option "
                                     "vocabulary to a folder with") != std::string::npos);
  options = text.options;
  options["tokenizer"] = std::string("bytes");
  options["end_of_text"] = true;
  CHECK(text_rejection(options).find("leave out the option end_of_text") != std::string::npos);
  options["end_of_text"] = false;
  options["cache"] = std::string("x");
  CHECK(text_rejection(options).find("leave out the option cache") != std::string::npos);
}

TEST_CASE("a loader counts the labels of a text") {
  const test::TemporaryFolder folder;
  Loader loader(open_text(counting_file(folder, 100), 4, 0.1, Split::training), 3, {{0, 3}});
  loader.begin(plain_draws({0, 1, 2, 3}));
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
