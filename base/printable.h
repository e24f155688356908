#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ddlbench {

/// Text from outside as a terminal may show it, on one line: what would move the cursor, change colours or the order of
/// letters, or is no UTF-8, is written as "\n", "\r", "\t", "\x1b" (a byte) or "\u{202e}" (a character). These are the
/// controls of ASCII, those of U+0080 to U+009F, the marks that set directions (U+061C, U+200E, U+200F, U+202A to
/// U+202E, U+2066 to U+2069) and the separators U+2028 and U+2029. All else stays as it is, so that doing it twice does
/// no more than doing it once.
std::string printable(std::string_view text);

/// The same, but line feeds stay.
std::string printable_lines(std::string_view text);

/// How many bytes at the end of `text` may begin a character of UTF-8 whose rest is still to come: 0 to 3.
std::size_t unfinished_bytes(std::string_view text);

}  // namespace ddlbench
