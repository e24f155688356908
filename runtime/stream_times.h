#pragma once

#include <vector>

#include "program/timeline.h"
#include "runtime/events.h"
#include "runtime/sequence.h"

namespace ddlbench::runtime {

/// The times of a sequence on a device's streams, and the timeline that follows from them. There is one event after
/// every computation, one before computations that had to wait, and two around each communication on a stream. Spans
/// are those of the compute stream. The span of an instruction ends at its event and begins where the previous one
/// ended, so it includes the time until its launch arrived. Time in which the stream waited is attributed to the
/// communications that it waited for, in their order. Events in a recording have the times of its last launch.
class StreamTimes {
 public:
  StreamTimes(kernels::Device& device, PreparedInstructions& steps);

  /// Notes that the compute stream could be idle before `instruction` (the number of instructions: at the end) because
  /// of `others`. A copy among them needs an event after it.
  void blame(std::size_t instruction, std::vector<program::InstructionId> others);
  /// Registers a communication that runs on a stream.
  void transfer_on_stream(std::size_t instruction);
  /// Registers a communication that the host drives. It can begin when `compute`, if any, is complete.
  void transfer_after(std::size_t instruction, program::InstructionId compute);
  /// Reserves memory for write().
  void reserve();

  /// Record the begin and the end of the whole sequence.
  void begin() { first_.record(graph::Stream::compute); }
  void end() { last_.record(graph::Stream::compute); }
  /// Record the begin and the end of an instruction on a stream, after the stream's waits.
  void before(std::size_t instruction, graph::Stream stream);
  void after(std::size_t instruction, graph::Stream stream);

  /// Stores the times of communications that the host drives. Call when they are complete, before they start again.
  void note_transfers();

  /// ended() returns when the last step ended. write() writes its spans and transfers, clamped between the recorder's
  /// time and the end of the step. Call both when the step is complete, before it is enqueued again.
  std::int64_t ended() const { return last_.time(); }
  void write(Recorder& recorder);

 private:
  struct Events {
    OwnedEvent begun;
    OwnedEvent done;
    program::InstructionId after = program::none;  ///< of a communication that the host drives
    comm::Operation::Times times;                  ///< of a communication that the host drives
    std::vector<program::InstructionId> blamed;
  };

  const Events& at(program::InstructionId id) const { return events_[static_cast<std::size_t>(id)]; }
  std::int64_t completed(program::InstructionId id) const;
  std::int64_t wait_for(const Events& events, std::int64_t time, std::int64_t end);
  program::Transfer transfer(program::InstructionId id) const;
  void span(program::Activity activity, program::InstructionId id, std::int64_t begin, std::int64_t end) {
    if (end > begin) spans_.push_back({activity, id, begin, end});
  }

  kernels::Device& device_;
  PreparedInstructions& steps_;
  std::vector<Events> events_;  ///< by instruction, and one for the end
  OwnedEvent first_, last_;
  std::vector<program::Span> spans_;
};

}  // namespace ddlbench::runtime
