#include <fmt/core.h>
#include <algorithm>

#include "base/error.h"
#include "base/hash.h"
#include "workloads/datasets/datasets.h"
#include "workloads/text/byte_pair.h"
#include "workloads/text/token_cache.h"

namespace ddlbench::workloads {
namespace {

constexpr int byte_values = 256;
constexpr double usual_fraction = 0.1;

struct Tokenised {
  Tokens tokens;
  int vocabulary = byte_values;
  const char* unit = "bytes";
  std::string file;  ///< file that holds the tokens
};

/// The tokens of one split, cut into windows that share one token with the next. Sample i begins at token i·length and
/// has `length` tokens; its labels are the tokens one position later.
class Text final : public Dataset {
 public:
  Text(Tokenised text, std::int64_t begin, std::int64_t end, std::int64_t length)
      : shape_{{{length}, graph::DType::i32}, {length}, text.vocabulary},
        text_(std::move(text)),
        begin_(begin),
        samples_((end - begin - 1) / length),
        length_(length) {}

  const SampleShape& shape() const override { return shape_; }
  std::int64_t size() const override { return samples_; }

  void read(const SampleDraw& draw, void* values, std::int32_t* labels) const override {
    require(draw.index >= 0 && draw.index < size(), "text: sample index outside the data set");
    thread_local std::vector<std::int32_t> stretch;
    stretch.resize(static_cast<std::size_t>(length_) + 1);
    text_.tokens.copy(begin_ + draw.index * length_, length_ + 1, stretch.data());
    auto* const tokens = static_cast<std::int32_t*>(values);
    std::copy(stretch.begin(), stretch.end() - 1, tokens);
    std::copy(stretch.begin() + 1, stretch.end(), labels);
    const auto outside = [this](std::int32_t token) { return token < 0 || token >= text_.vocabulary; };
    const std::int32_t* const wrong = outside(tokens[0]) ? tokens : std::find_if(labels, labels + length_, outside);
    if (wrong != labels + length_) {
      throw BadData(
          fmt::format("{}: token {} of sample {} is outside the vocabulary of {}; the file is damaged: delete it, and "
                      "ddlbench creates it again",
                      text_.file, static_cast<std::uint32_t>(*wrong), draw.index, text_.vocabulary));
    }
  }

 private:
  SampleShape shape_;
  Tokenised text_;
  std::int64_t begin_;
  std::int64_t samples_;
  std::int64_t length_;
};

std::shared_ptr<const DataFile> open_text(const std::string& path) {
  if (path.empty()) throw InputError("text: the option path must name a text file; it has no default");
  try {
    auto file = std::make_shared<const DataFile>(path);
    if (file->bytes() == 0) throw BadData(path + ": is empty");
    if (file->bytes() > most_held_bytes) {
      throw BadData(
          fmt::format("{}: has {} bytes, more than the {} that a text may have", path, file->bytes(), most_held_bytes));
    }
    return file;
  } catch (const BadData& error) {
    throw BadData(std::string(error.what()) + "; name a text file in the option path");
  }
}

Tokenised with_byte_pairs(const DataFile& file, const std::string& folder, bool end_of_text, const std::string& cache) {
  if (folder.empty()) {
    throw InputError("text: the tokenizer gpt2 needs the option vocabulary: a folder with encoder.json and vocab.bpe");
  }
  const BytePair vocabulary(folder);
  const auto source_of = [&](std::int64_t bytes, std::uint64_t hash) {
    return TokenSource{static_cast<std::uint64_t>(bytes), hash, vocabulary.hash(),
                       static_cast<std::uint32_t>(vocabulary.size()), end_of_text ? 1U : 0U};
  };
  if (!cache.empty()) {
    auto kept = read_token_cache(cache, source_of(file.bytes(), file.hash()));
    if (kept) return {std::move(*kept), vocabulary.size(), "tokens", cache};
  }
  const std::string read = file.text();
  std::vector<std::int32_t> tokens;
  Encoder encoder(vocabulary);
  end_of_text ? encoder.encode_sections(read, tokens) : encoder.encode(read, tokens);
  if (!cache.empty()) write_token_cache(cache, source_of(static_cast<std::int64_t>(read.size()), fnv1a(read)), tokens);
  return {Tokens(std::move(tokens)), vocabulary.size(), "tokens", file.path()};
}

Tokenised tokenise(const OptionValues& options) {
  auto file = open_text(value_of<std::string>(options, "path"));
  const bool end_of_text = value_of<bool>(options, "end_of_text");
  const auto& cache = value_of<std::string>(options, "cache");
  if (value_of<std::string>(options, "tokenizer") == "gpt2") {
    return with_byte_pairs(*file, value_of<std::string>(options, "vocabulary"), end_of_text, cache);
  }
  const auto& vocabulary = value_of<std::string>(options, "vocabulary");
  if (end_of_text || !cache.empty() || !vocabulary.empty()) {
    throw InputError(
        "text: bytes have no end-of-text token, no cache and no vocabulary; use the tokenizer gpt2 or leave out the "
        "option " +
        std::string(end_of_text      ? "end_of_text"
                    : !cache.empty() ? "cache"
                                     : "vocabulary"));
  }
  const std::string path = file->path();
  return {Tokens(std::move(file)), byte_values, "bytes", path};
}

/// The identity depends on the contents of text and vocabulary, not on their paths, and not on the cache.
OptionValues text_identity(const OptionValues& options) {
  OptionValues said = options;
  const auto file = open_text(value_of<std::string>(options, "path"));
  said["path"] = "fnv1a " + hexadecimal(file->hash());
  const auto& vocabulary = value_of<std::string>(options, "vocabulary");
  if (!vocabulary.empty()) said["vocabulary"] = "fnv1a " + hexadecimal(BytePair(vocabulary).hash());
  said.erase("cache");
  return said;
}

std::unique_ptr<Dataset> open_text_dataset(const OptionValues& options, Split split) {
  const auto length = value_of<std::int64_t>(options, "sequence_length");
  const auto first = value_of<std::int64_t>(options, "validation_tokens");
  const auto given_fraction = value_of<double>(options, "validation_fraction");
  if (first > 0 && given_fraction != 0) {
    throw InputError("text: the options validation_tokens and validation_fraction exclude each other; leave one out");
  }
  const double fraction = given_fraction != 0 ? given_fraction : usual_fraction;
  Tokenised text = tokenise(options);
  const std::int64_t size = text.tokens.size();
  const auto cut =
      first > 0 ? std::min(first, size) : size - static_cast<std::int64_t>(static_cast<double>(size) * fraction);
  const bool before = (split == Split::training) == (first == 0);
  const std::int64_t begin = before ? 0 : cut, end = before ? cut : size;
  if (end - begin < length + 1) {
    throw BadData(
        fmt::format("{}: has {} {}, {} of them for {}, but one sample takes {}; use a longer text, a smaller "
                    "sequence_length or another {}",
                    value_of<std::string>(options, "path"), size, text.unit, end - begin,
                    split == Split::training ? "training" : "validation", length + 1,
                    first > 0 ? "number of validation_tokens" : "validation_fraction"));
  }
  return std::make_unique<Text>(std::move(text), begin, end, length);
}

}  // namespace

DatasetKind text() {
  return {
      "text",
      "a text as bytes or as GPT-2's tokens: each sample is a section of it, and the labels are the next tokens",
      {{"path", std::string(), "the file; required"},
       {"sequence_length", std::int64_t{64}, "tokens per sample", 1, {}, 1 << 20},
       {"validation_fraction",
        0.0,
        "share of the tokens, at the end, that is kept for validation; 0 means 0.1",
        0,
        {},
        1},
       {"validation_tokens",
        std::int64_t{0},
        "number of tokens, at the beginning, that are kept for validation instead of a fraction; 0: none",
        0,
        {},
        1LL << 53},
       {"tokenizer", std::string("bytes"), "tokenizer", 0, {"bytes", "gpt2"}},
       {"vocabulary", std::string(), "gpt2: folder with encoder.json and vocab.bpe"},
       {"end_of_text", false, "gpt2: put an end-of-text token before every section; blank lines separate sections"},
       {"cache", std::string(),
        "gpt2: file in which ddlbench caches the tokens; empty: it tokenizes the text whenever it opens the data set"}},
      open_text_dataset,
      text_identity};
}

}  // namespace ddlbench::workloads
