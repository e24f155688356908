#include "workloads/text/words.h"

#include <string>
#include <vector>

#include "catch.h"
#include "workloads/text/unicode.h"

namespace ddlbench::workloads {
namespace {

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> found;
  while (!text.empty()) {
    found.emplace_back(text.substr(0, first_word(text)));
    text.remove_prefix(found.back().size());
  }
  return found;
}

using Words = std::vector<std::string>;

TEST_CASE("a text is split into words that include the preceding blank") {
  CHECK(words("Hello world") == Words{"Hello", " world"});
  CHECK(words("a1 b22 3c!?") == Words{"a", "1", " b", "22", " 3", "c", "!?"});
  CHECK(words("x = y+1;") == Words{"x", " =", " y", "+", "1", ";"});
}

TEST_CASE("lower-case contractions are words") {
  CHECK(words("it's we'll I'd they've you're I'm don't") ==
        Words{"it", "'s", " we", "'ll", " I", "'d", " they", "'ve", " you", "'re", " I", "'m", " don", "'t"});
  CHECK(words("IT'S") == Words{"IT", "'", "S"});
  CHECK(words("'l 'x") == Words{"'", "l", " '", "x"});
  CHECK(words("'tis") == Words{"'t", "is"});
  CHECK(words(" 's") == Words{" '", "s"});
}

TEST_CASE("the last white space character belongs to the next word") {
  CHECK(words("a  b") == Words{"a", " ", " b"});
  CHECK(words("a\n\nb") == Words{"a", "\n", "\n", "b"});
  CHECK(words("a \n b") == Words{"a", " \n", " b"});
  CHECK(words("a\tb") == Words{"a", "\t", "b"});
  CHECK(words("a  ") == Words{"a", "  "});
  CHECK(words(" ") == Words{" "});
  CHECK(words("\r\n  1") == Words{"\r\n ", " 1"});
  CHECK(words("a\u00a0\u3000b") == Words{"a", "\u00a0", "\u3000", "b"});  // not blanks: words include only U+0020
}

TEST_CASE("letters and numbers are those of Unicode") {
  CHECK(words("na\u00efve \u4e2d\u6587\u00bd\u2167\u0663 \u03c0") ==
        Words{"na\u00efve", " \u4e2d\u6587", "\u00bd\u2167\u0663", " \u03c0"});
  CHECK(words("e\u0301a") == Words{"e", "\u0301", "a"});  // a combining accent is a mark
  CHECK(words("hi\U0001f44d\u200d!") == Words{"hi", "\U0001f44d\u200d!"});
}

TEST_CASE("bytes that are not UTF-8 are of class other") {
  for (const std::string bad : {"\xff", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe4\xb8", "\x80"}) {
    INFO(std::hex << static_cast<int>(static_cast<unsigned char>(bad[0])));
    CHECK(words("a" + bad) == Words{"a", bad});
    CHECK(words("a" + bad + "b") == Words{"a", bad, "b"});
  }
}

TEST_CASE("the tables of letters and numbers are ascending, disjoint and of one Unicode version") {
  CHECK(std::string(unicode_version) == "14.0.0");
  for (const auto* ranges : {&letter_ranges(), &number_ranges()}) {
    for (std::size_t i = 0; i < ranges->size(); ++i) {
      REQUIRE((*ranges)[i].first <= (*ranges)[i].last);
      if (i > 0) REQUIRE((*ranges)[i - 1].last + 1 < (*ranges)[i].first);
    }
  }
  const auto count = [](const std::vector<CodeRange>& ranges) {
    std::uint32_t sum = 0;
    for (const CodeRange& range : ranges) sum += range.last - range.first + 1;
    return sum;
  };
  CHECK(count(letter_ranges()) == 131756);  // as Unicode 14.0.0 counts general categories L and N
  CHECK(count(number_ranges()) == 1791);
}

}  // namespace
}  // namespace ddlbench::workloads
