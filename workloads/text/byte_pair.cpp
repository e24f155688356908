#include "workloads/text/byte_pair.h"

#include <fmt/core.h>
#include <utf8proc.h>
#include <array>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/hash.h"
#include "json/parse.h"
#include "workloads/data_file.h"
#include "workloads/dataset.h"

namespace ddlbench::workloads {
namespace {

constexpr const char* remedy =
    "; set the option vocabulary to a folder with GPT-2's published encoder.json and vocab.bpe";
constexpr std::int64_t most_bytes = std::int64_t{16} << 20;
constexpr const char* end_of_text_name = "<|endoftext|>";

std::string read_text(const std::string& path) {
  try {
    return DataFile(path).bounded_text(most_bytes, "GPT-2's have a megabyte at most");
  } catch (const BadData& error) {
    throw BadData(error.what() + std::string(remedy));
  }
}

/// Returns the character with which the two files write each byte: a visible character is itself, other bytes are 256,
/// 257, … in turn.
std::array<std::uint32_t, 256> characters_of_bytes() {
  std::array<std::uint32_t, 256> characters{};
  std::uint32_t next = 256;
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    const bool visible = (byte >= '!' && byte <= '~') || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    characters[byte] = visible ? byte : next++;
  }
  return characters;
}

/// Converts a visible text to the bytes that it encodes. Returns false if it encodes none. All its characters are below
/// 0x800.
bool to_bytes(std::string_view visible, std::string& bytes) {
  static const auto byte_of = [] {
    std::array<std::int16_t, 512> table;
    table.fill(-1);
    const auto characters = characters_of_bytes();
    for (std::size_t byte = 0; byte < 256; ++byte) table[characters[byte]] = static_cast<std::int16_t>(byte);
    return table;
  }();
  bytes.clear();
  for (std::size_t i = 0; i < visible.size(); ++i) {
    std::uint32_t code = static_cast<unsigned char>(visible[i]);
    if (code >= 0x80) {
      if (code < 0xc2 || code >= 0xe0 || ++i == visible.size()) return false;
      code = ((code & 0x1fU) << 6) | (static_cast<unsigned char>(visible[i]) & 0x3fU);
    }
    if (code >= byte_of.size() || byte_of[code] < 0) return false;
    bytes.push_back(static_cast<char>(byte_of[code]));
  }
  return true;
}

}  // namespace

BytePair::BytePair(const std::string& folder) {
  const std::string encoder_path = folder + "/encoder.json", merges_path = folder + "/vocab.bpe";
  const std::string encoder = read_text(encoder_path), merges = read_text(merges_path);
  read_tokens(encoder_path, encoder);
  read_merges(merges_path, merges);
  hash_ = fnv1a(utf8proc_unicode_version(), fnv1a(encoder) * 31 + fnv1a(merges));
}

void BytePair::read_tokens(const std::string& path, const std::string& text) {
  const auto refuse = [&path](const std::string& what) { throw BadData(fmt::format("{}: {}{}", path, what, remedy)); };
  nlohmann::json json;
  try {
    json = json::parse_whole(text);
  } catch (const InputError& error) {
    refuse(error.what());
  }
  if (!json.is_object() || json.empty()) refuse("not a JSON object of tokens and their numbers");
  bytes_.resize(json.size());
  std::vector<bool> used(json.size());
  bool ends = false;
  for (const auto& [visible, number] : json.items()) {
    if (!number.is_number_unsigned())
      refuse(fmt::format("the number of \"{}\" is {}, but must be an integer of at least 0", visible, number.dump()));
    const auto token = number.get<std::uint64_t>();
    if (token >= json.size() || used[token]) {
      refuse(fmt::format("\"{}\" has the number {}{}", visible, token,
                         token >= json.size() ? fmt::format(", but there are only {} tokens", json.size())
                                              : ", which another token already has"));
    }
    used[token] = true;
    if (visible == end_of_text_name) {
      end_of_text_ = static_cast<std::int32_t>(token);
      bytes_[token] = visible;
      ends = true;
      continue;
    }
    if (!to_bytes(visible, bytes_[token])) refuse("\"" + visible + "\" does not represent bytes");
    tokens_[bytes_[token]] = static_cast<std::int32_t>(token);
  }
  if (!ends) refuse(std::string("there is no ") + end_of_text_name);
  for (int byte = 0; byte < 256; ++byte) {
    const auto found = tokens_.find(std::string(1, static_cast<char>(byte)));
    if (found == tokens_.end()) refuse(fmt::format("byte {} has no token", byte));
    token_of_byte_[byte] = found->second;
  }
}

void BytePair::read_merges(const std::string& path, const std::string& text) {
  int line = 0;
  std::vector<bool> made(bytes_.size());
  for (const std::int32_t token : token_of_byte_) made[static_cast<std::size_t>(token)] = true;
  std::string left, right;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view pair = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    ++line;
    if (!pair.empty() && pair.back() == '\r') pair.remove_suffix(1);
    if (pair.empty() || (line == 1 && pair.substr(0, 8) == "#version")) continue;
    const auto refuse = [&](const std::string& what) {
      throw BadData(fmt::format("{}:{}: \"{}\" {}{}", path, line, pair, what, remedy));
    };
    const std::size_t blank = pair.find(' ');
    if (blank == std::string_view::npos || !to_bytes(pair.substr(0, blank), left) ||
        !to_bytes(pair.substr(blank + 1), right)) {
      refuse("is not a pair of tokens");
    }
    const auto token_of = [&](const std::string& bytes) {
      const auto found = tokens_.find(bytes);
      if (found == tokens_.end()) refuse("uses or produces a token outside the vocabulary");
      return found->second;
    };
    const std::int32_t first = token_of(left), second = token_of(right), whole = token_of(left + right);
    // The two checks below ensure that merging the least rank first gives the same result for any order of equal ranks.
    if (!made[static_cast<std::size_t>(first)] || !made[static_cast<std::size_t>(second)]) {
      refuse("uses a token that no previous line produces");
    }
    if (made[static_cast<std::size_t>(whole)]) refuse("produces a token that a previous line already produces");
    made[static_cast<std::size_t>(whole)] = true;
    merges_[key(first, second)] = {static_cast<std::int32_t>(merges_.size()), whole};
  }
  if (merges_.empty()) {
    throw BadData(fmt::format("{}:{}: the file ends here, without merges{}", path, std::max(line, 1), remedy));
  }
}

std::string BytePair::decode(const std::vector<std::int32_t>& tokens) const {
  std::string text;
  for (const std::int32_t token : tokens) {
    if (token < 0 || token >= size()) {
      throw BadData(fmt::format("token {} is outside the vocabulary of {}", token, size()));
    }
    text += bytes_[static_cast<std::size_t>(token)];
  }
  return text;
}

}  // namespace ddlbench::workloads
