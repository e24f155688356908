#pragma once

#include <vector>

#include "program/timeline.h"
#include "runtime/marks.h"
#include "runtime/sequence.h"

namespace ddlbench::runtime {

/// When things happened on a device's streams: a mark after every computation, one before those that were held or
/// waited for, two around a communication on a stream; and the timeline that follows from them. Spans are the compute
/// stream's: an instruction's ends at its mark and begins where the one before ended, so that it holds the time until
/// its launch came; a stretch in which the stream was held is a wait for the communications that held it, in their
/// order. Marks that were recorded have the times of the recording's last launch.
class StreamTimes {
 public:
  StreamTimes(kernels::Device& device, Steps& steps);

  /// The compute stream could be idle before `instruction` (the number of instructions: at the end) because of these.
  /// A copy among them wants a mark after it.
  void blame(std::size_t instruction, std::vector<program::InstructionId> others);
  /// A communication that runs on a stream.
  void transfer_on_stream(std::size_t instruction);
  /// A communication that the host drives: it can begin when `compute`, if any, is complete.
  void transfer_after(std::size_t instruction, program::InstructionId compute);
  /// Room for what write() collects.
  void reserve();

  /// Around all.
  void begin() { first_.record(graph::Stream::compute); }
  void end() { last_.record(graph::Stream::compute); }
  /// Around each instruction that is put on a stream, after what the stream was held by.
  void before(std::size_t instruction, graph::Stream stream);
  void after(std::size_t instruction, graph::Stream stream);

  /// Of communications that the host drives, which are complete: before they are started again.
  void note_transfers();

  /// When the last step ended, and what was when in it, until then and not before the recorder's time: when it is
  /// complete, and before it is put on the streams again.
  std::int64_t ended() const { return last_.time(); }
  void write(Recorder& recorder);

 private:
  struct Marks {
    OwnedMark begun;
    OwnedMark done;
    program::InstructionId after = program::none;  ///< of a communication that the host drives
    comm::Operation::Times times;                  ///< of such a one
    std::vector<program::InstructionId> blamed;
  };

  const Marks& at(program::InstructionId id) const { return marks_[static_cast<std::size_t>(id)]; }
  std::int64_t completed(program::InstructionId id) const;
  std::int64_t wait_for(const Marks& marks, std::int64_t time, std::int64_t end);
  program::Transfer transfer(program::InstructionId id) const;
  void span(program::Activity activity, program::InstructionId id, std::int64_t begin, std::int64_t end) {
    if (end > begin) spans_.push_back({activity, id, begin, end});
  }

  kernels::Device& device_;
  Steps& steps_;
  std::vector<Marks> marks_;  ///< by instruction, and of the end
  OwnedMark first_, last_;
  std::vector<program::Span> spans_;
};

}  // namespace ddlbench::runtime
