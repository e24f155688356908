#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace ddlbench::collectives {

/// The memory of an operation that a range lies in. Scratch belongs to the operation alone.
enum class Memory : std::uint8_t { input, output, scratch };

/// The elements [offset, offset + count) of one memory.
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

/// One received message. Without `operand`, it is written to `into`. With `operand`, `into` becomes the reduction of
/// the operand and the message; the message is the first argument if `incoming_first` is set, so that both ends of an
/// exchange can reduce in the same order, to the same bits. The operand has the same count as `into` and may be `into`
/// itself.
struct ReceivePart {
  int from = 0;
  Range into;
  std::optional<Range> operand;
  bool incoming_first = true;
};

/// A copy within the memory of one rank. If both ranges are the same, nothing is copied.
struct CopyPart {
  Range from;
  Range into;
};

/// One step of one rank. Its parts run concurrently and share no elements, except elements that they only read. The
/// next step begins when all parts are done. A step without parts is a round in which the rank is idle.
struct Step {
  std::optional<SendPart> send;
  std::optional<ReceivePart> receive;
  std::optional<CopyPart> copy;
};

/// Takes the steps of one rank one by one, to execute them or to count what they send without storing them. The n-th
/// steps of all ranks form a round: every message sent in a round is received in the same round. Messages from one
/// member to another match in order. Empty messages are sent too, so that ranks that disagree on the sizes detect it.
using Emit = std::function<void(const Step&)>;

/// A collective from the point of view of one rank: passes its steps to `emit`.
using Steps = std::function<void(const Emit&)>;

struct StepList {
  std::vector<Step> steps;
  std::int64_t scratch = 0;  ///< elements of scratch that the steps use
};

StepList list_of(const Steps& steps);

/// Returns the number of elements that the rank sends in total.
std::int64_t sent_elements(const Steps& steps);

/// Returns the number of elements of the largest message that the rank reduces on arrival, or 0 if it reduces none.
std::int64_t largest_reduction(const StepList& list);

}  // namespace ddlbench::collectives
