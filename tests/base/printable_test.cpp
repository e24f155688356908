#include "base/printable.h"

#include "catch.h"

using namespace ddlbench;
using namespace std::string_literals;

TEST_CASE("terminal control characters are escaped", "[F12]") {
  CHECK(printable("\x1b[2J\x1b]0;title\x07") == "\\x1b[2J\\x1b]0;title\\x07");
  CHECK(printable("a\nb\rc\td\be") == "a\\nb\\rc\\td\\x08e");
  CHECK(printable("\0\x7f"s) == "\\x00\\x7f");
  CHECK(printable("\xc2\x80\xc2\x9b"
                  "31m\xc2\x9f") == "\\u{80}\\u{9b}31m\\u{9f}");
  CHECK(printable("\xe2\x80\xae"
                  "gpj.exe\xe2\x81\xa9") == "\\u{202e}gpj.exe\\u{2069}");
  CHECK(printable("\xd8\x9c\xe2\x80\x8f\xe2\x80\xa8") == "\\u{61c}\\u{200f}\\u{2028}");
}

TEST_CASE("invalid UTF-8 is escaped byte by byte", "[F12]") {
  CHECK(printable("\xff\x9b"
                  "A\xc3") == "\\xff\\x9bA\\xc3");
  CHECK(printable("\xc0\x9b") == "\\xc0\\x9b");                    // overlong
  CHECK(printable("\xe0\x80\x9b") == "\\xe0\\x80\\x9b");           // overlong
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // a surrogate
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
  CHECK(printable("\xe2\x80x") == "\\xe2\\x80x");
}

TEST_CASE("other text is unchanged", "[F12]") {
  const std::string text = "ranks×threads 1.25 ± 0.05, Größe, 数据, 😀, a\\b \"c\" \xc2\xa0 \xe2\x80\xa6";
  CHECK(printable(text) == text);
  CHECK(printable("").empty());
  CHECK(printable_lines("a\n\x1b\n") == "a\n\\x1b\n");
  const std::string once = printable("\x1b\xff\n");
  CHECK(printable(once) == once);
}

TEST_CASE("a message that quotes megabytes is shortened") {
  const std::string text = "file:1: \"ä\"\nfile:2: remedy";
  CHECK(shortened(text) == text);
  const std::string line(4000, 'x'), end(1900, 'x');
  CHECK(shortened(line) == line);
  CHECK(shortened("a" + line + "b\n" + text) == "a" + end.substr(1) + " … 202 bytes … " + end.substr(1) + "b\n" + text);
  std::string wide;
  for (int i = 0; i < 2001; ++i) wide += "ä";
  CHECK(printable(shortened(wide)) == shortened(wide));
  std::string lines;
  for (int i = 1; i <= 102; ++i) lines += std::to_string(i) + "\n";
  CHECK(shortened(lines).ends_with("99\n100\n… and 2 more lines"));
  CHECK(shortened(lines + "103").ends_with("100\n… and 3 more lines"));
}

TEST_CASE("unfinished_bytes counts the bytes of an incomplete character", "[F12]") {
  CHECK(unfinished_bytes("a") == 0);
  CHECK(unfinished_bytes("a\xc3") == 1);
  CHECK(unfinished_bytes("a\xc3\xbc") == 0);
  CHECK(unfinished_bytes("\xf0\x9f\x98") == 3);
  CHECK(unfinished_bytes("\xf0\x9f\x98\x80") == 0);
  CHECK(unfinished_bytes("\x80\x80\x80\x80") == 0);
}
