#pragma once

#include <cstddef>
#include <string_view>

namespace ddlbench::workloads {

/// Returns the bytes of the first word of `text`, which must not be empty, as GPT-2's published pattern splits it:
/// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
/// Merges never cross a word boundary. The text is UTF-8; a malformed byte is of class `other`.
std::size_t first_word(std::string_view text);

}  // namespace ddlbench::workloads
