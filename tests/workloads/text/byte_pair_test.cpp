#include "workloads/text/byte_pair.h"

#include <filesystem>

#include "catch.h"
#include "failure.h"
#include "tiny_vocabulary.h"
#include "workloads/dataset.h"

namespace ddlbench::workloads {
namespace {

using test::blank;
using test::TinyVocabulary;
using Ids = std::vector<std::int32_t>;

const TinyVocabulary::Merges merges{{"a", "b"}, {"b", "c"}, {"ab", "c"}, {blank, "a"}, {"a", "a"}, {blank + "a", "bc"}};
constexpr std::int32_t first_merge = 256;  // "ab" 256, "bc" 257, "abc" 258, " a" 259, "aa" 260, " abc" 261

Ids encode(const BytePair& vocabulary, const std::string& text) {
  Ids tokens;
  Encoder encoder(vocabulary);
  encoder.encode(text, tokens);
  Ids again;
  encoder.encode(text, again);  // from its cache
  CHECK(again == tokens);
  CHECK(vocabulary.decode(tokens) == text);
  return tokens;
}

std::string rejection(const TinyVocabulary& files) {
  files.write();
  return test::failure_of<BadData>([&] { BytePair vocabulary(files.path()); });
}

TEST_CASE("pairs merge by rank, the leftmost first") {
  const TinyVocabulary files(merges);
  const BytePair vocabulary(files.path());
  REQUIRE(vocabulary.size() == 263);
  CHECK(vocabulary.end_of_text() == 262);
  CHECK(encode(vocabulary, "abc") == Ids{258});
  CHECK(encode(vocabulary, "bcab") == Ids{257, 256});
  CHECK(encode(vocabulary, "abbc") == Ids{256, 257});
  CHECK(encode(vocabulary, "aaa") == Ids{260, encode(vocabulary, "a")[0]});
  CHECK(encode(vocabulary, "aaab") == Ids{260, 256});
  CHECK(encode(vocabulary, " abc") == Ids{encode(vocabulary, " ")[0], 258});  // "ab" has a lower rank than " a"
  CHECK(encode(vocabulary, " ac") == Ids{259, encode(vocabulary, "c")[0]});
  CHECK(encode(vocabulary, "a'sab") == Ids{encode(vocabulary, "a")[0], encode(vocabulary, "'")[0],
                                           encode(vocabulary, "s")[0], 256});  // no merge crosses a word boundary
  CHECK(encode(vocabulary, "").empty());
}

TEST_CASE("any bytes can be encoded, and tokens decode to their bytes") {
  const TinyVocabulary files(merges);
  const BytePair vocabulary(files.path());
  std::string text;
  for (int i = 0; i < 256; ++i) text += static_cast<char>(i);
  CHECK(encode(vocabulary, text + text).size() > 256);
  CHECK(encode(vocabulary, std::string(1000, 'a')) == Ids(500, 260));
  CHECK(encode(vocabulary, "<|endoftext|>").size() == 13);
  CHECK(vocabulary.decode({262, 258}) == "<|endoftext|>abc");
  CHECK_THROWS_WITH(vocabulary.decode({1, 263}), "token 263 is outside the vocabulary of 263");
  CHECK_THROWS_AS(vocabulary.decode({-1}), BadData);
}

TEST_CASE("every section begins with an end-of-text token") {
  const TinyVocabulary files(merges);
  const BytePair vocabulary(files.path());
  const auto sections = [&vocabulary](const std::string& text) {
    Ids tokens;
    Encoder(vocabulary).encode_sections(text, tokens);
    return tokens;
  };
  const std::int32_t line = encode(vocabulary, "\n")[0];
  CHECK(sections("ab\n\nbc") == Ids{262, 256, line, line, 262, 257});
  CHECK(sections("ab\nbc\n") == Ids{262, 256, line, 257, line});
  CHECK(sections("ab\n\n") == Ids{262, 256, line, line, 262});
  CHECK(sections("\n\n\nab") == Ids{262, line, line, 262, line, 256});
  CHECK(sections("") == Ids{262});
}

TEST_CASE("a vocabulary's hash depends on the content of its files") {
  const TinyVocabulary one(merges), same(merges), other(TinyVocabulary::Merges{{"a", "b"}});
  CHECK(BytePair(one.path()).hash() == BytePair(same.path()).hash());
  CHECK(BytePair(one.path()).hash() != BytePair(other.path()).hash());
}

TEST_CASE("a vocabulary file with data after a NUL byte is rejected", "[F6]") {
  const TinyVocabulary files(merges);
  const std::string encoder = files.path() + "/encoder.json";
  std::ofstream(encoder, std::ios::app) << std::string(1, '\0') + ", \"more\": 263}";
  CHECK_THROWS_WITH(BytePair(files.path()),
                    Catch::StartsWith(encoder + ": not JSON: line 1, column ") && Catch::Contains(": a NUL byte"));
}

TEST_CASE("a vocabulary without merges is rejected", "[F14]") {
  TinyVocabulary files(merges);
  const std::string bpe = files.path() + "/vocab.bpe";
  const std::string says = ": the file ends here, without merges; set the option vocabulary to a folder with ";
  files.lines.clear();
  CHECK(rejection(files).starts_with(bpe + ":1" + says));
  files.lines.assign(2, "");
  CHECK(rejection(files).starts_with(bpe + ":3" + says));
}

TEST_CASE("an invalid vocabulary file is rejected with its name and the remedy") {
  TinyVocabulary files(merges);
  const std::string encoder = files.path() + "/encoder.json", bpe = files.path() + "/vocab.bpe";
  const std::string remedy =
      "; set the option vocabulary to a folder with GPT-2's published encoder.json and vocab.bpe";
  REQUIRE(rejection(files) == "nothing was thrown");

  SECTION("a missing file") {
    std::filesystem::remove(bpe);
    CHECK_THROWS_WITH(BytePair(files.path()), bpe + ": cannot be opened: No such file or directory" + remedy);
  }
  SECTION("not JSON") {
    std::ofstream(encoder) << "{\"a\": 1,";
    CHECK_THROWS_WITH(BytePair(files.path()), encoder + ": not JSON: line 1, column 9" + remedy);
  }
  SECTION("no object") {
    std::ofstream(encoder) << "[1]";
    CHECK_THROWS_WITH(BytePair(files.path()), encoder + ": not a JSON object of tokens and their numbers" + remedy);
  }
  SECTION("a number that is none") {
    std::ofstream(encoder) << "{\"a\": -1}";
    CHECK_THROWS_WITH(BytePair(files.path()),
                      encoder + ": the number of \"a\" is -1, but must be an integer of at least 0" + remedy);
  }
  SECTION("a number out of the vocabulary") {
    std::ofstream(encoder) << "{\"a\": 0, \"b\": 2}";
    CHECK_THROWS_WITH(BytePair(files.path()),
                      encoder + ": \"b\" has the number 2, but there are only 2 tokens" + remedy);
  }
  SECTION("a number twice") {
    std::ofstream(encoder) << "{\"a\": 0, \"b\": 0}";
    CHECK_THROWS_WITH(BytePair(files.path()),
                      encoder + ": \"b\" has the number 0, which another token already has" + remedy);
  }
  SECTION("a token that stands for no bytes") {
    files.tokens[0] = "\xe4\xb8\xad";
    CHECK(rejection(files) == encoder + ": \"\xe4\xb8\xad\" does not represent bytes" + remedy);
  }
  SECTION("no end of text") {
    files.tokens.back() = "end";
    CHECK(rejection(files) == encoder + ": there is no <|endoftext|>" + remedy);
  }
  SECTION("a byte without a token") {
    files.tokens['a'] = "aaaa";
    CHECK(rejection(files) == encoder + ": byte 97 has no token" + remedy);
  }
  SECTION("a merge of or into a token that there is not") {
    files.lines[1] = "b z";
    CHECK(rejection(files) == bpe + ":3: \"b z\" uses or produces a token outside the vocabulary" + remedy);
  }
  SECTION("merges in the wrong order") {
    std::swap(files.lines[0], files.lines[2]);
    CHECK(rejection(files) == bpe + ":2: \"ab c\" uses a token that no previous line produces" + remedy);
  }
  SECTION("a merge twice") {
    files.lines.push_back("a bc");
    CHECK(rejection(files) == bpe + ":8: \"a bc\" produces a token that a previous line already produces" + remedy);
  }
  SECTION("a line that is no pair") {
    files.lines[0] = "ab";
    CHECK(rejection(files) == bpe + ":2: \"ab\" is not a pair of tokens" + remedy);
  }
}

}  // namespace
}  // namespace ddlbench::workloads
