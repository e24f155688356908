#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"

namespace ddlbench::program {

/// What a rank's issuing thread did during a span of a step, measured or simulated.
enum class Activity : std::uint8_t {
  compute,  ///< ran `instruction`
  wait,     ///< waited for the communication `instruction`
  input,    ///< waited for the loader, or copied its batch to the device
};

/// A time interval in nanoseconds, on the clock that all ranks of a case share or in a simulation's virtual time.
struct Span {
  Activity activity = Activity::compute;
  InstructionId instruction = none;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// A communication, from its start on this rank to its completion.
struct Transfer {
  InstructionId instruction = none;
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

/// One step of one rank. Spans are disjoint and in order. Gaps between them are time of the engine itself.
struct StepTimeline {
  std::int64_t step = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::vector<Span> spans;
  std::vector<Transfer> transfers;
  int body = 0;  ///< of the program, whose instructions these are
};

}  // namespace ddlbench::program
