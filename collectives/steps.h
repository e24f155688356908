#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace ddlbench::collectives {

/// Which of an operation's three memories a range lies in. Scratch belongs to the operation alone.
enum class Memory : std::uint8_t { input, output, scratch };

/// Elements [offset, offset + count) of one memory.
struct Range {
  Memory memory = Memory::input;
  std::int64_t offset = 0;
  std::int64_t count = 0;
  bool operator==(const Range&) const = default;
};

struct SendPart {
  int to = 0;  ///< member of the group
  Range from;
};

/// What arrives is written to `into`; with `operand`, `into` becomes the reduction of the operand and of
/// what arrives, which comes first where `incoming_first`: the two ends of an exchange then reduce in the
/// same order, to the same bits. The operand has the same count, and may be `into` itself.
struct ReceivePart {
  int from = 0;
  Range into;
  std::optional<Range> operand;
  bool incoming_first = true;
};

/// Within one rank's memory; nothing moves where both are the same place.
struct CopyPart {
  Range from;
  Range into;
};

/// One step of one rank: its parts run at the same time and touch no element in common, but to read it.
/// The next step begins when all are done. A step without parts is a round in which the rank does nothing.
struct Step {
  std::optional<SendPart> send;
  std::optional<ReceivePart> receive;
  std::optional<CopyPart> copy;
};

/// Takes the steps of one rank, one after another: to execute them, or to count what they send without keeping them.
/// The n-th steps of all ranks are a round: what one sends in it another receives in it. Messages from one member to
/// another match in their order. A message may be empty: it is sent all the same, so that ends which disagree on the
/// sizes find out.
using Emit = std::function<void(const Step&)>;

/// A collective as one rank sees it: hands its steps to the one that takes them.
using Steps = std::function<void(const Emit&)>;

struct StepList {
  std::vector<Step> steps;
  std::int64_t scratch = 0;  ///< elements: as far as the steps reach
};

StepList list_of(const Steps& steps);

/// Elements that the rank sends in all.
std::int64_t sent_elements(const Steps& steps);

/// Of the largest message that the rank reduces on arrival; 0 where it reduces none.
std::int64_t largest_reduction(const StepList& list);

}  // namespace ddlbench::collectives
