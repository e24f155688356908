#pragma once

#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "temporary_folder.h"

namespace ddlbench::test {

/// A folder with encoder.json and vocab.bpe in GPT-2's format: 256 bytes, some merges and an end of text. Bytes without
/// a visible character are written as characters from U+0100 on.
class TinyVocabulary {
 public:
  using Merges = std::vector<std::pair<std::string, std::string>>;

  explicit TinyVocabulary(const Merges& merges) {
    for (int byte = 0, unseen = 0; byte < 256; ++byte) {
      const bool seen = (byte > 32 && byte < 127) || (byte > 160 && byte != 173);
      tokens.push_back(utf8(seen ? byte : 256 + unseen++));
    }
    for (const auto& [left, right] : merges) {
      lines.push_back(left + " " + right);
      tokens.push_back(left + right);
    }
    tokens.emplace_back("<|endoftext|>");
    write();
  }

  /// Writes both files. Call again after changing `tokens` or `lines`.
  void write() const {
    std::ofstream encoder(folder / "encoder.json");
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const std::string escape = tokens[i] == "\"" || tokens[i] == "\\" ? "\\" : "";
      encoder << (i == 0 ? "{" : ", ") << '"' << escape << tokens[i] << "\": " << i;
    }
    encoder << "}";
    std::ofstream bpe(folder / "vocab.bpe");
    bpe << "#version: 0.2\n";
    for (const std::string& line : lines) bpe << line << "\n";
  }

  const std::string& path() const { return folder.path(); }

  TemporaryFolder folder;
  std::vector<std::string> tokens;  ///< by token number
  std::vector<std::string> lines;   ///< of vocab.bpe

 private:
  static std::string utf8(int code) {
    if (code < 0x80) return {static_cast<char>(code)};
    return {static_cast<char>(0xc0 | (code >> 6)), static_cast<char>(0x80 | (code & 0x3f))};
  }
};

/// The character that represents a blank.
inline const std::string blank = "\xc4\xa0";

}  // namespace ddlbench::test
