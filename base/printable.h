#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ddlbench {

/// Returns external text in a form that is safe to print on a terminal, on one line. Control characters and invalid
/// UTF-8 are escaped as "\n", "\r", "\t", "\x1b" (a byte) or "\u{202e}" (a character). Control characters are those of
/// ASCII, U+0080 to U+009F, the direction marks (U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069) and the
/// separators U+2028 and U+2029. All other text is unchanged, so the function is idempotent.
std::string printable(std::string_view text);

/// Does the same, but keeps line feeds.
std::string printable_lines(std::string_view text);

/// Returns at most the first 100 lines of a message, without the middle of lines of more than 4,000 bytes: it may quote
/// a file of megabytes. Says what is left out.
std::string shortened(std::string_view message);

/// Returns the number of bytes (0 to 3) at the end of `text` that may be the beginning of an incomplete UTF-8
/// character.
std::size_t unfinished_bytes(std::string_view text);

}  // namespace ddlbench
