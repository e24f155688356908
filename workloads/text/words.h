#pragma once

#include <cstddef>
#include <string_view>

namespace ddlbench::workloads {

/// Bytes of the first word of a text that is not empty, as GPT-2's published pattern cuts it:
/// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
/// Merges never cross a word's end. The text is UTF-8; a byte that is not belongs to no class but "other".
std::size_t first_word(std::string_view text);

}  // namespace ddlbench::workloads
