#include <algorithm>
#include <functional>
#include <limits>

#include "base/error.h"
#include "workloads/text/byte_pair.h"
#include "workloads/text/words.h"

namespace ddlbench::workloads {
namespace {

constexpr std::int32_t none = -1;
// Limits of the cache: words that repeat are short, and no language has more of them than this.
constexpr std::size_t longest_known = 64;
constexpr std::size_t most_known = std::size_t{1} << 20;

}  // namespace

void Encoder::encode(std::string_view text, std::vector<std::int32_t>& tokens) {
  while (!text.empty()) {
    const std::string_view word = text.substr(0, first_word(text));
    text.remove_prefix(word.size());
    const auto found = known_.find(word);
    if (found != known_.end()) {
      const auto [first, last] = found->second;
      tokens.insert(tokens.end(), known_tokens_.begin() + static_cast<std::ptrdiff_t>(first),
                    known_tokens_.begin() + static_cast<std::ptrdiff_t>(last));
      continue;
    }
    const std::size_t before = tokens.size();
    merge(word, tokens);
    if (word.size() > longest_known || known_.size() == most_known) continue;
    const std::size_t first = known_tokens_.size();
    known_tokens_.insert(known_tokens_.end(), tokens.begin() + static_cast<std::ptrdiff_t>(before), tokens.end());
    known_.emplace(word, std::pair(first, known_tokens_.size()));
  }
}

void Encoder::encode_sections(std::string_view text, std::vector<std::int32_t>& tokens) {
  constexpr std::string_view blank_line = "\n\n";
  for (bool more = true; more;) {
    const std::size_t found = text.find(blank_line);
    more = found != std::string_view::npos;
    const std::string_view section = more ? text.substr(0, found + blank_line.size()) : text;
    tokens.push_back(vocabulary_.end_of_text());
    encode(section, tokens);
    text.remove_prefix(section.size());
  }
}

/// Merges the pair of neighbours of the least rank, the leftmost first, until no pair can be merged.
void Encoder::merge(std::string_view word, std::vector<std::int32_t>& tokens) {
  require(word.size() <= std::numeric_limits<std::int32_t>::max(), "a word has more than 2 GiB");
  const auto count = static_cast<std::int32_t>(word.size());
  symbols_.clear();
  for (std::int32_t i = 0; i < count; ++i) {
    const auto byte = static_cast<unsigned char>(word[static_cast<std::size_t>(i)]);
    symbols_.push_back({vocabulary_.token_of_byte_[byte], i - 1, i + 1 < count ? i + 1 : none});
  }
  candidates_.clear();
  for (std::int32_t i = 0; i + 1 < count; ++i) propose(i);
  const auto at = [this](std::int32_t i) -> Symbol& { return symbols_[static_cast<std::size_t>(i)]; };
  while (!candidates_.empty()) {
    std::pop_heap(candidates_.begin(), candidates_.end(), std::greater<>());
    const Candidate best = candidates_.back();
    candidates_.pop_back();
    Symbol& left = at(best.left);
    // Either symbol may have merged with its other neighbour since.
    if (left.token != best.left_token || left.next == none || at(left.next).token != best.right_token) continue;
    Symbol& right = at(left.next);
    left.token = vocabulary_.merges_.at(BytePair::key(best.left_token, best.right_token)).token;
    right.token = none;
    left.next = right.next;
    if (left.next != none) {
      at(left.next).previous = best.left;
      propose(best.left);
    }
    if (left.previous != none) propose(left.previous);
  }
  for (std::int32_t i = 0; i != none; i = at(i).next) tokens.push_back(at(i).token);
}

void Encoder::propose(std::int32_t left) {
  const Symbol& first = symbols_[static_cast<std::size_t>(left)];
  const std::int32_t second = symbols_[static_cast<std::size_t>(first.next)].token;
  const auto found = vocabulary_.merges_.find(BytePair::key(first.token, second));
  if (found == vocabulary_.merges_.end()) return;
  candidates_.push_back({found->second.rank, left, first.token, second});
  std::push_heap(candidates_.begin(), candidates_.end(), std::greater<>());
}

}  // namespace ddlbench::workloads
