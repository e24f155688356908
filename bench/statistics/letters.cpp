#include "bench/statistics/letters.h"

#include <algorithm>

namespace ddlbench::bench {
namespace {

using Group = std::vector<bool>;  ///< whether each item belongs to it

bool contains(const Group& whole, const Group& part) {
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (part[i] && !whole[i]) return false;
  }
  return true;
}

/// Removes groups that another one contains.
std::vector<Group> absorb(const std::vector<Group>& groups) {
  std::vector<Group> kept;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto absorbs = [&](std::size_t j) {
      return j != i && contains(groups[j], groups[i]) && (!contains(groups[i], groups[j]) || j < i);
    };
    bool absorbed = false;
    for (std::size_t j = 0; j < groups.size() && !absorbed; ++j) absorbed = absorbs(j);
    if (!absorbed) kept.push_back(groups[i]);
  }
  return kept;
}

/// Splits each group with both items into one without the first and one without the second.
std::vector<Group> separate(const std::vector<Group>& groups, std::size_t a, std::size_t b) {
  std::vector<Group> result;
  for (const Group& group : groups) {
    if (!group[a] || !group[b]) {
      result.push_back(group);
      continue;
    }
    for (const std::size_t left_out : {a, b}) {
      result.push_back(group);
      result.back()[left_out] = false;
    }
  }
  return absorb(result);
}

/// Returns "a", …, "z", "aa", "ab", …
std::string letter(std::size_t index) {
  std::string text;
  for (++index; index > 0; index = (index - 1) / 26)
    text.insert(text.begin(), static_cast<char>('a' + (index - 1) % 26));
  return text;
}

}  // namespace

std::vector<std::string> letter_groups(std::size_t count, const std::function<bool(std::size_t, std::size_t)>& differ) {
  std::vector<Group> groups{Group(count, true)};
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      if (differ(a, b)) groups = separate(groups, a, b);
    }
  }
  std::sort(groups.begin(), groups.end(), std::greater<>());  // the group of the first item first
  std::vector<std::string> letters(count);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t i = 0; i < count; ++i) {
      if (groups[g][i]) letters[i] += letter(g);
    }
  }
  return letters;
}

}  // namespace ddlbench::bench
