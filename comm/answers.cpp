#include "comm/answers.h"

namespace ddlbench::comm {

int first_unanswered(const Answers& answers, int own, int suspect) {
  const auto mute = [&](int rank) { return rank != own && !answers[static_cast<std::size_t>(rank)]; };
  if (mute(suspect)) return suspect;
  for (int rank = 0; rank < static_cast<int>(answers.size()); ++rank) {
    if (mute(rank)) return rank;
  }
  return -1;
}

int first_behind(const Answers& answers, int own, const std::vector<int>& members, int first, std::uint64_t sequence) {
  const auto size = static_cast<int>(members.size());
  for (int i = 0; i < size; ++i) {
    const int candidate = members[static_cast<std::size_t>((first + i) % size)];
    if (candidate != own && *answers[static_cast<std::size_t>(candidate)] <= sequence) return candidate;
  }
  return members[static_cast<std::size_t>(first)];
}

}  // namespace ddlbench::comm
