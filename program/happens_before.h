#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "program/program.h"

namespace ddlbench::program {

/// The order in which the instructions of one section must complete: the transitive closure of `after`
/// and of the issue order of the compute stream alone. Other streams order nothing by themselves.
///
/// An instruction of another stream is *joined* at the first compute instruction that is after it, and
/// knows the last compute instruction *before* it; two instructions with compute between them are ordered
/// through these two numbers. What is left are paths without compute: for them each such instruction keeps
/// a vector clock over chains of instructions that are not joined yet. Time and memory are linear in the
/// dependencies times the chains in flight (a handful; none after they are joined).
class HappensBefore {
 public:
  static constexpr int never = std::numeric_limits<int>::max();

  /// Dependencies that point forwards or outside are left out: `check` refuses them.
  explicit HappensBefore(const std::vector<Instruction>& section);

  bool before(InstructionId a, InstructionId b) const;

  bool on_compute(InstructionId id) const { return nodes_[index(id)].compute; }
  /// Position in the compute stream of a compute instruction; of another the last position before it, −1 if none.
  int position(InstructionId id) const { return nodes_[index(id)].position; }
  /// Position in the compute stream from which on everything is after `id`; `never` if nothing is.
  int joined(InstructionId id) const;
  InstructionId compute_at(int position) const { return compute_[index(position)]; }

  /// Notes that `later`, not of the compute stream, is now after the compute instruction at `position`.
  /// What depends on `later` learns it only from itself: the order kept is never more than the true one.
  void delay(InstructionId later, int position);

 private:
  struct Tick {
    int chain;
    int length;  ///< the first `length` members of the chain are before
  };
  struct Node {
    bool compute = false;
    int position = -1;
    int joined = never;
    int chain = -1;
    int chain_index = -1;
    std::vector<Tick> clock;
  };

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  void add_compute(InstructionId id, const std::vector<InstructionId>& after);
  void add_other(InstructionId id, const std::vector<InstructionId>& after);
  void join(Tick tick, int position);
  bool is_joined(Tick tick, int position) const;
  void advance(std::vector<Tick>& clock, Tick tick, int position) const;

  std::vector<Node> nodes_;
  std::vector<InstructionId> compute_;
  std::vector<std::vector<InstructionId>> chains_;
};

}  // namespace ddlbench::program
