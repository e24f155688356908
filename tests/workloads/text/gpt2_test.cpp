#include <algorithm>

#include "catch.h"
#include "shared_data.h"
#include "skip.h"
#include "workloads/data_file.h"
#include "workloads/dataset.h"
#include "workloads/text/byte_pair.h"

namespace ddlbench::workloads {
namespace {

/// The published vocabulary and a published text. Tests are skipped where they are missing.
struct Published {
  std::string data = test::shared_data();
  std::string text = data + "/text/tinyshakespeare.txt";
  std::string vocabulary = data + "/gpt2-bpe";

  bool missing() const {
    if (!data.empty()) return false;
    test::skip("no folder of data; DDLBENCH_DATA names one");
    return true;
  }
};

TEST_CASE("GPT-2's vocabulary splits a text into the published number of tokens") {
  const Published published;
  if (published.missing()) return;
  const BytePair vocabulary(published.vocabulary);
  REQUIRE(vocabulary.size() == 50257);
  CHECK(vocabulary.end_of_text() == 50256);
  const DataFile file(published.text);
  Encoder encoder(vocabulary);

  // As llm.c prepares it.
  std::vector<std::int32_t> tokens;
  encoder.encode_sections(file.text(), tokens);
  CHECK(tokens.size() == 338028);
  CHECK(std::vector(tokens.begin(), tokens.begin() + 6) ==
        std::vector<std::int32_t>{50256, 5962, 22307, 25, 198, 8421});
  tokens.erase(std::remove(tokens.begin(), tokens.end(), vocabulary.end_of_text()), tokens.end());
  CHECK(vocabulary.decode(tokens) == file.text());

  // As nanoGPT prepares it: nine tenths of the characters, and the rest.
  const std::size_t cut = file.text().size() * 9 / 10;
  std::vector<std::int32_t> training, validation;
  encoder.encode(file.text().substr(0, cut), training);
  encoder.encode(file.text().substr(cut), validation);
  CHECK(training.size() == 301966);
  CHECK(validation.size() == 36059);
}

TEST_CASE("the first GPT-2 tokens of a text are held out for validation, as in llm.c") {
  const Published published;
  if (published.missing()) return;
  const DatasetKind& kind = find_dataset("text");
  const OptionValues options = with_defaults(kind.options, {{"path", published.text},
                                                            {"tokenizer", std::string("gpt2")},
                                                            {"vocabulary", published.vocabulary},
                                                            {"end_of_text", true},
                                                            {"sequence_length", std::int64_t{1}},
                                                            {"validation_tokens", std::int64_t{32768}}});
  const auto training = kind.open(options, Split::training), validation = kind.open(options, Split::validation);
  CHECK(training->shape().classes == 50257);
  CHECK(training->size() == 305260 - 1);  // the last token is only a label
  CHECK(validation->size() == 32768 - 1);
  std::int32_t token = 0, label = 0;
  validation->read({0, 0}, &token, &label);
  CHECK(token == 50256);
  CHECK(label == 5962);
}

}  // namespace
}  // namespace ddlbench::workloads
