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
  bool record = false;  ///< it may be recorded, and what was recorded be run
};

/// A list of instructions at one position of the rings, ready to run, and to be run again once it is complete. Running
/// it allocates nothing, but where it is recorded.
class Sequence {
 public:
  virtual ~Sequence() = default;

  /// Whether issue() would record it where it may. The device is to be idle then: what records may wait for it.
  virtual bool records_next() const { return false; }
  /// Runs all, or puts all on the device's streams, the last of it on the compute stream. What a kernel or a
  /// communication throws names the instruction.
  virtual void issue(const Run& run) = 0;
  /// After what was put on the compute stream since: there complete() ends.
  virtual void close() = 0;
  /// Returns when all is complete up to close().
  virtual void complete() = 0;
  /// When it was, once it is; and its spans, of a recorder whose step begins and ends as it did, where issue() has not
  /// written them. `input` came after what was loaded for it.
  virtual std::int64_t ended() const = 0;
  virtual void write(Recorder& recorder, const OwnedMark* input) = 0;
};

/// As the device wants it: host_sequence.h or stream_sequence.h.
std::unique_ptr<Sequence> make_sequence(const std::vector<program::Instruction>& instructions,
                                        const Preparation& preparation);

/// Why sequences of such a device and communications are not recorded; empty where they are.
std::string why_not_recorded(const kernels::Device& device, const Channels& channels, bool communicates);

}  // namespace ddlbench::runtime
