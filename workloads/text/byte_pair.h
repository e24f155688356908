#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ddlbench::workloads {

/// GPT-2's byte-pair vocabulary: the byte strings of all tokens, and the pairs of tokens that merge into a longer one.
/// Immutable, so that threads can share it.
class BytePair {
 public:
  /// Reads FOLDER/encoder.json and FOLDER/vocab.bpe as GPT-2 publishes them. Throws BadData that names the file and the
  /// remedy where a file is missing or malformed, a byte or a merge has no token, an id is out of range or used twice,
  /// or a merge uses a token that no earlier line makes.
  explicit BytePair(const std::string& folder);

  int size() const { return static_cast<int>(bytes_.size()); }
  std::int32_t end_of_text() const { return end_of_text_; }
  /// Returns a hash of all that determines tokens: both files, and the version of Unicode that splits words.
  std::uint64_t hash() const { return hash_; }
  /// Returns the bytes that `tokens` encode. Throws BadData for a token out of the vocabulary.
  std::string decode(const std::vector<std::int32_t>& tokens) const;

 private:
  friend class Encoder;
  struct Merge {
    std::int32_t rank = 0;  ///< among possible merges, the least rank comes first
    std::int32_t token = 0;
  };
  static std::uint64_t key(std::int32_t left, std::int32_t right) {
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) | static_cast<std::uint32_t>(right);
  }
  void read_tokens(const std::string& path, const std::string& text);
  void read_merges(const std::string& path, const std::string& text);

  std::vector<std::string> bytes_;  ///< by token
  std::unordered_map<std::string, std::int32_t> tokens_;
  std::unordered_map<std::uint64_t, Merge> merges_;
  std::int32_t token_of_byte_[256] = {};
  std::int32_t end_of_text_ = 0;
  std::uint64_t hash_ = 0;
};

/// Encodes text as tokens, with a cache of the words it has met. For one thread at a time.
class Encoder {
 public:
  explicit Encoder(const BytePair& vocabulary) : vocabulary_(vocabulary) {}

  /// Appends the tokens of `text` to `tokens`. Text that looks like a special token is encoded like any other text.
  void encode(std::string_view text, std::vector<std::int32_t>& tokens);
  /// Splits `text` into sections at blank lines ("\n\n", which belongs to the section before it), and appends for each
  /// section an end-of-text token and the section's tokens.
  void encode_sections(std::string_view text, std::vector<std::int32_t>& tokens);

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  /// A token of the word being merged, in a doubly linked list.
  struct Symbol {
    std::int32_t token = 0;
    std::int32_t previous = 0;
    std::int32_t next = 0;
  };
  /// A merge that was possible when it was found.
  struct Candidate {
    std::int32_t rank = 0;
    std::int32_t left = 0;  ///< index of the left symbol
    std::int32_t left_token = 0, right_token = 0;
    bool operator>(const Candidate& other) const { return rank != other.rank ? rank > other.rank : left > other.left; }
  };
  void merge(std::string_view word, std::vector<std::int32_t>& tokens);
  void propose(std::int32_t left);

  const BytePair& vocabulary_;
  std::unordered_map<std::string, std::pair<std::size_t, std::size_t>, Hash, std::equal_to<>> known_;
  std::vector<std::int32_t> known_tokens_;  ///< [first, last) of each cached word
  std::vector<Symbol> symbols_;
  std::vector<Candidate> candidates_;  ///< a heap, least rank on top
};

}  // namespace ddlbench::workloads
