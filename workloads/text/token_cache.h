#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workloads/text/tokens.h"

namespace ddlbench::workloads {

/// What a file of tokens was made of.
struct TokenSource {
  std::uint64_t bytes = 0;  ///< of the text
  std::uint64_t hash = 0;   ///< of the text, FNV-1a
  std::uint64_t vocabulary_hash = 0;
  std::uint32_t vocabulary = 0;  ///< tokens that there are
  std::uint32_t end_of_text = 0;
  bool operator==(const TokenSource&) const = default;
};

/// The tokens in a file that write_token_cache wrote for this source; nothing where there is no file, or one of another
/// source, or of another length than its header says. Throws BadData if it is some other file, which is not to be lost,
/// and if the tokens are not those of the checksum in the header: all of them are read for that.
std::optional<Tokens> read_token_cache(const std::string& path, const TokenSource& source);

/// Writes the tokens: to a temporary beside the file, which takes its place when it is whole and on the disk, so that
/// ranks may do this at once. Header of 72 bytes, then 2 bytes for each token (4 if the vocabulary needs them),
/// little-endian. Throws BadData.
void write_token_cache(const std::string& path, const TokenSource& source, const std::vector<std::int32_t>& tokens);

}  // namespace ddlbench::workloads
