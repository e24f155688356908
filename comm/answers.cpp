#include "comm/answers.h"

#include <algorithm>

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

void UnansweredPings::pinged(int rank, Clock::time_point at) {
  std::optional<Clock::time_point>& since = since_[static_cast<std::size_t>(rank)];
  if (!since) since = at;
}

void UnansweredPings::heard(int rank) {
  since_[static_cast<std::size_t>(rank)].reset();
}

void UnansweredPings::forget() {
  std::fill(since_.begin(), since_.end(), std::nullopt);
}

UnansweredPings::Clock::duration UnansweredPings::silence(int rank, Clock::time_point now) const {
  const std::optional<Clock::time_point>& since = since_[static_cast<std::size_t>(rank)];
  return since ? now - *since : Clock::duration::zero();
}

}  // namespace ddlbench::comm
