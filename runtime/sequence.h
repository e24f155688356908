#pragma once

#include <memory>

#include "runtime/engine.h"
#include "runtime/events.h"
#include "runtime/recorder.h"
#include "runtime/steps.h"

namespace ddlbench::runtime {

/// The arguments of a run of a sequence.
struct Run {
  Mode mode;
  const Hook& before;
  Recorder& recorder;
  Launched& launched;
  bool record = false;  ///< the sequence may be recorded, and an existing recording may be launched
};

/// A list of instructions at one ring position, ready to run. It can run again once it is complete. Running it
/// allocates nothing, except while recording.
class Sequence {
 public:
  virtual ~Sequence() = default;

  /// Returns true if issue() would record when allowed to. The device must be idle then, because recording may wait for
  /// it.
  virtual bool records_next() const { return false; }
  /// Runs all instructions, or enqueues them on the device's streams, ending on the compute stream. Exceptions of
  /// kernels and communications name the instruction.
  virtual void issue(const Run& run) = 0;
  /// Marks the point in the compute stream at which complete() ends. Call after enqueuing anything that belongs to the
  /// run.
  virtual void close() = 0;
  /// Waits until everything up to close() is complete.
  virtual void complete() = 0;
  /// ended() returns when the run ended. write() writes its spans, unless issue() has done so, into a recorder whose
  /// step has the same begin and end; `input` is the event after the input of the step. Both require that the run is
  /// complete.
  virtual std::int64_t ended() const = 0;
  virtual void write(Recorder& recorder, const OwnedEvent* input) = 0;
};

/// Returns the kind of sequence that the device needs: host_sequence.h or stream_sequence.h.
std::unique_ptr<Sequence> make_sequence(const std::vector<program::Instruction>& instructions,
                                        const Preparation& preparation);

/// Returns why sequences of such a device and communications are not recorded, or an empty string if they are.
std::string why_not_recorded(const kernels::Device& device, const Channels& channels, bool communicates);

}  // namespace ddlbench::runtime
