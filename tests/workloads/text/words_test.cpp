#include "workloads/text/words.h"

#include <utf8proc.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "catch.h"
#include "skip.h"

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

TEST_CASE("the classes of all characters are those of the library's Unicode version") {
  std::uint32_t letters = 0, numbers = 0, others = 0, characters = 0;
  for (utf8proc_int32_t code = 0; code <= 0x10ffff; ++code) {
    if (code >= 0xd800 && code < 0xe000) continue;  // surrogates are not characters of UTF-8
    utf8proc_uint8_t bytes[4];
    const auto count = static_cast<std::size_t>(utf8proc_encode_char(code, bytes));
    const std::string character(reinterpret_cast<const char*>(bytes), count);
    const auto continues = [&](char word) { return first_word(word + character) == 1 + count; };
    letters += continues('a');
    numbers += continues('1');
    others += continues('!');
    ++characters;
  }
  CHECK(letters + numbers + others + 25 == characters);  // 25 characters are White_Space
  // As Unicode counts the general categories L and N.
  const std::map<std::string, std::pair<std::uint32_t, std::uint32_t>> published{{"14.0.0", {131756, 1791}},
                                                                                 {"15.0.0", {136104, 1831}},
                                                                                 {"15.1.0", {136726, 1831}},
                                                                                 {"16.0.0", {141028, 1911}},
                                                                                 {"17.0.0", {145672, 1924}}};
  const auto counts = published.find(utf8proc_unicode_version());
  if (counts == published.end()) return test::skip("counts of Unicode " + std::string(utf8proc_unicode_version()));
  CHECK(letters == counts->second.first);
  CHECK(numbers == counts->second.second);
}

}  // namespace
}  // namespace ddlbench::workloads
