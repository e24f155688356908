#pragma once

#include <cstdint>
#include <vector>

#include "program/interval_map.h"
#include "program/memory/lifetimes.h"

namespace ddlbench::program {

inline constexpr std::int64_t alignment_bytes = 64;  ///< alignment of every offset in the arena

std::int64_t aligned(std::int64_t bytes);

/// Places the buffers of one section (of program::sections()), in the order of their first access, each in the smallest
/// gap that fits. Time is linear in the number of buffers times the number that are live at once.
class Arena {
 public:
  Arena(Program& program, int section);

  /// Sets the offsets and returns the size that the arena needs, in bytes.
  std::int64_t place_all();

 private:
  struct Block {
    std::int64_t begin;
    std::int64_t end;
    const Lifetime* life;
  };

  void settle(int issue_index);
  void place(const Lifetime& life);
  std::int64_t find_gap(std::int64_t size, const Lifetime& life);
  bool follows(const Lifetime& later, const Lifetime& earlier) const;
  void add_edges(const Lifetime& life, std::int64_t begin, std::int64_t end);
  int settled_index(const Lifetime& life) const;

  Program& program_;
  Instructions& section_;
  HappensBefore order_;
  std::vector<Lifetime> lifetimes_;
  std::vector<Block> blocks_;  ///< blocks that are not settled yet, ordered by begin
  /// One more than the position in the compute stream at which the former users of the bytes are complete.
  IntervalMap<int> free_after_;
  std::int64_t end_ = 0;
};

}  // namespace ddlbench::program
