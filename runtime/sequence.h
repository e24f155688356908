#pragma once

#include <memory>

#include "runtime/engine.h"
#include "runtime/marks.h"
#include "runtime/recorder.h"
#include "runtime/steps.h"

namespace ddlbench::runtime {

/// What a sequence runs with.
struct Run {
  Mode mode;
  const Hook& before;
  Recorder& recorder;
  Launched& launched;
  bool record = false;               ///< it may be recorded, and what was recorded be run
  const OwnedMark* input = nullptr;  ///< after what was loaded for it
};

/// A list of instructions at one position of the rings, ready to run. Running it allocates nothing, but where it is
/// recorded.
class Sequence {
 public:
  virtual ~Sequence() = default;

  /// Runs all, or puts all on the device's streams, the last of it on the compute stream. What a kernel or a
  /// communication throws names the instruction.
  virtual void issue(const Run& run) = 0;
  /// Returns when all that was issued is complete, and what was put on the compute stream since; writes the timeline.
  virtual void finish(const Run& run) = 0;
};

/// As the device wants it: host_sequence.h or stream_sequence.h.
std::unique_ptr<Sequence> make_sequence(const std::vector<program::Instruction>& instructions,
                                        const Preparation& preparation);

/// Why sequences of such a device and communications are not recorded; empty where they are.
std::string why_not_recorded(const kernels::Device& device, const Channels& channels, bool communicates);

}  // namespace ddlbench::runtime
