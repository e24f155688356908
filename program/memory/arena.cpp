#include "program/memory/arena.h"

#include <algorithm>

namespace ddlbench::program {
namespace {

/// Later accesses to a buffer usually run after one of its first accesses. Trying more would take quadratic time.
constexpr std::size_t predecessors_tried = 8;

}  // namespace

std::int64_t aligned(std::int64_t bytes) {
  return (bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
}

Arena::Arena(Program& program, int section)
    : program_(program),
      section_(*sections(program)[static_cast<std::size_t>(section)]),
      order_(section_),
      lifetimes_(lifetimes(program, section, order_)) {}

std::int64_t Arena::place_all() {
  for (const Lifetime& life : lifetimes_) {
    settle(life.first);
    place(life);
  }
  return end_;
}

/// Returns the issue index from which any instruction may take the memory, provided that a dependency edge is added.
int Arena::settled_index(const Lifetime& life) const {
  if (life.settled == HappensBefore::never) return HappensBefore::never;
  const int joined = life.settled < 0 ? -1 : order_.compute_at(life.settled);
  return std::max(life.last + 1, joined);
}

void Arena::settle(int issue_index) {
  const auto is_settled = [&](const Block& block) { return settled_index(*block.life) <= issue_index; };
  for (const Block& block : blocks_) {
    if (!is_settled(block)) continue;
    const int settled = block.life->settled + 1;
    free_after_.visit(block.begin, block.end, [&](auto, auto, int& after) { after = std::max(after, settled); });
  }
  blocks_.erase(std::remove_if(blocks_.begin(), blocks_.end(), is_settled), blocks_.end());
}

/// Returns true if every access to `earlier`, which is not settled, comes before every access to `later`, given that
/// edges from compute to communication can be added. This lets communication reuse the memory of earlier communication.
bool Arena::follows(const Lifetime& later, const Lifetime& earlier) const {
  if (earlier.last >= later.first) return false;
  return std::all_of(earlier.others.begin(), earlier.others.end(), [&](InstructionId a) {
    if (later.first_compute != HappensBefore::never && order_.joined(a) > later.first_compute) return false;
    return std::all_of(later.others.begin(), later.others.end(), [&](InstructionId b) { return order_.before(a, b); });
  });
}

std::int64_t Arena::find_gap(std::int64_t size, const Lifetime& life) {
  std::int64_t best = -1, best_size = 0, at = 0;
  const auto consider = [&](std::int64_t end) {
    const std::int64_t gap = end - at;
    if (gap >= size && (best < 0 || gap < best_size)) {
      best = at;
      best_size = gap;
    }
  };
  for (const Block& block : blocks_) {
    if (follows(life, *block.life)) continue;
    consider(block.begin);
    at = std::max(at, block.end);
  }
  consider(end_);
  return best < 0 ? at : best;
}

void Arena::place(const Lifetime& life) {
  Buffer& buffer = program_.buffers[static_cast<std::size_t>(life.buffer)];
  const std::int64_t size = aligned(buffer.bytes);
  const std::int64_t begin = find_gap(size, life);
  buffer.offset = begin;
  if (size == 0) return;
  add_edges(life, begin, begin + size);
  const auto at = std::upper_bound(blocks_.begin(), blocks_.end(), begin,
                                   [](std::int64_t b, const Block& block) { return b < block.begin; });
  blocks_.insert(at, Block{begin, begin + size, &life});
  end_ = std::max(end_, begin + size);
}

void Arena::add_edges(const Lifetime& life, std::int64_t begin, std::int64_t end) {
  int required = -1;
  free_after_.visit(begin, end, [&](auto, auto, int& after) { required = std::max(required, after - 1); });
  for (const Block& block : blocks_)
    if (block.begin < end && begin < block.end) required = std::max(required, block.life->last_compute);
  if (required < 0) return;
  const InstructionId source = order_.compute_at(required);
  std::vector<InstructionId> ordered;
  for (InstructionId other : life.others) {
    const bool implied = order_.position(other) >= required ||
                         std::any_of(ordered.begin(), ordered.end(),
                                     [&](InstructionId earlier) { return order_.before(earlier, other); });
    if (!implied) {
      auto& after = section_[static_cast<std::size_t>(other)].after;
      std::erase_if(after, [&](const Dependency& d) { return d.iterations == 0 && order_.on_compute(d.instruction); });
      after.push_back({source, 0});
      std::sort(after.begin(), after.end(),
                [](const Dependency& a, const Dependency& b) { return a.instruction < b.instruction; });
      order_.delay(other, required);
    }
    if (ordered.size() < predecessors_tried) ordered.push_back(other);
  }
}

}  // namespace ddlbench::program
