#include "bench/config/suggest.h"

#include <algorithm>

namespace ddlbench::bench {

int edit_distance(const std::string& a, const std::string& b) {
  std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

std::string nearest(const std::string& word, const std::vector<std::string>& known) {
  constexpr std::size_t longest = 64;  // longer ones are no misspelling, and would cost time
  if (word.size() > longest) return "";
  std::string best;
  int best_distance = std::max(2, static_cast<int>(word.size()) / 3) + 1;
  for (const auto& candidate : known) {
    const int distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < static_cast<int>(std::max(word.size(), candidate.size()))) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known, const std::string& lead) {
  const std::string meant = nearest(word, known);
  if (!meant.empty()) return "(did you mean \"" + meant + "\"?)";
  std::string list;
  for (const auto& name : known) list += (list.empty() ? "" : ", ") + name;
  return "(" + lead + ": " + list + ")";
}

}  // namespace ddlbench::bench
