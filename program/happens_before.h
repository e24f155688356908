#pragma once

#include <limits>
#include <utility>
#include <vector>

#include "program/program.h"

namespace ddlbench::program {

/// The order in which the instructions of one section must complete: the transitive closure of `after` and of the issue
/// order of the compute stream alone. The other streams imply no order by themselves.
///
/// An instruction of another stream is *joined* at the first compute instruction that must run after it. It also knows
/// the last compute instruction that runs *before* it. These two numbers order any two instructions that have a compute
/// instruction between them. The remaining paths contain no compute instruction; for them each non-compute instruction
/// keeps a vector clock over chains of instructions that are not joined yet. Time and memory are linear in the number
/// of dependencies times the number of chains in flight (a handful, and none once they are joined).
class HappensBefore {
 public:
  static constexpr int never = std::numeric_limits<int>::max();

  /// Ignores dependencies that point forwards or outside the section; `check` rejects them.
  explicit HappensBefore(const std::vector<Instruction>& section);

  bool before(InstructionId a, InstructionId b) const;

  bool on_compute(InstructionId id) const { return nodes_[index(id)].compute; }
  /// Returns the position of a compute instruction in the compute stream. For any other instruction, returns the last
  /// position before it, or −1 if there is none.
  int position(InstructionId id) const { return nodes_[index(id)].position; }
  /// Returns the first position in the compute stream from which everything runs after `id`, or `never`.
  int joined(InstructionId id) const;
  InstructionId compute_at(int position) const { return compute_[index(position)]; }

  /// Records that `later`, which is not in the compute stream, now runs after the compute instruction at `position`.
  /// This is not propagated to instructions that depend on `later`, so the recorded order is a subset of the true one.
  void delay(InstructionId later, int position);

 private:
  struct Tick {
    int chain;
    int length;  ///< the first `length` members of the chain come before
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
