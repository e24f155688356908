#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/text/tokens.h"

namespace ddlbench::workloads {

/// The text and vocabulary that a file of tokens was made from.
struct TokenSource {
  std::uint64_t bytes = 0;  ///< of the text
  std::uint64_t hash = 0;   ///< of the text, FNV-1a
  std::uint64_t vocabulary_hash = 0;
  std::uint32_t vocabulary = 0;  ///< number of tokens
  std::uint32_t end_of_text = 0;
  bool operator==(const TokenSource&) const = default;
};

/// Returns the tokens of a file that write_token_cache wrote for `source`. Empty where there is no file, or where it is
/// for another source or its length differs from its header's. Throws BadData where it is some other file, which must
/// not be overwritten, and where the tokens do not match the checksum in the header. Reads all tokens for that.
std::optional<Tokens> read_token_cache(const std::string& path, const TokenSource& source);

/// Writes the tokens to a temporary file, and renames it to `path` when it is complete and on disk, so that several
/// ranks may do this at the same time. The format: a header of 72 bytes, then 2 bytes per token (4 if the vocabulary
/// needs them), little-endian. Throws BadData.
void write_token_cache(const std::string& path, const TokenSource& source, const std::vector<std::int32_t>& tokens);

}  // namespace ddlbench::workloads
