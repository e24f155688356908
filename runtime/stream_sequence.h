#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "runtime/host_memory.h"
#include "runtime/marks.h"
#include "runtime/sequence.h"
#include "runtime/stream_times.h"

namespace ddlbench::runtime {

/// On an asynchronous device: the host puts everything on the device's streams, which marks keep in the program's
/// order, and goes on; it waits when it is asked to. Where the host drives communications it waits for one before it
/// puts on a stream what is after it. Within a stream order suffices.
///
/// Where nothing in it wants the host in between, it is recorded in the first run that may record (Run::record) and is
/// not its first at all, and from then on run as one.
class StreamSequence final : public Sequence {
 public:
  StreamSequence(const std::vector<program::Instruction>& instructions, const Preparation& preparation);

  bool records_next() const override;
  void issue(const Run& run) override;
  void close() override { end_.record(graph::Stream::compute); }
  void complete() override { watch(end_); }
  std::int64_t ended() const override { return times_.ended(); }
  void write(Recorder& recorder, const OwnedMark* input) override;

 private:
  /// How one instruction is put on its stream.
  struct Place {
    graph::Stream stream = graph::Stream::compute;             ///< of what the host does not begin by itself
    bool on_stream = true;                                     ///< the host begins it otherwise
    std::vector<program::InstructionId> waits;                 ///< communications that the host completes before
    std::vector<program::InstructionId> holds;                 ///< by which its stream is held
    program::InstructionId host_follows = program::none;       ///< a computation that the host waits for before
    program::InstructionId host_follows_copy = program::none;  ///< the same, a copy
    OwnedMark mark;                                            ///< where others are held by it
  };

  Place& at(program::InstructionId id) { return places_[static_cast<std::size_t>(id)]; }
  void place(const std::vector<program::Instruction>& instructions);
  void begin_stream(const Place& place, bool by_host);
  void put_all(const Run& run, bool recording, std::size_t& current);
  void put(std::size_t index);
  void fork();
  void watch(const OwnedMark& mark);

  kernels::Device& device_;
  comm::Communicator& channel_;
  program::Route route_;
  Steps steps_;
  std::vector<Place> places_;
  std::vector<program::InstructionId> waits_at_end_, holds_at_end_;
  HostMemory bounce_;  ///< through which copies go, one after another
  StreamTimes times_;
  OwnedMark fork_;
  OwnedMark end_;
  std::array<bool, graph::recorded_streams> begun_{};  ///< by stream: something is placed there
  std::vector<graph::Stream> forks_;                   ///< held at the beginning
  bool host_follows_fork_ = false;
  bool recordable_ = false;
  bool has_run_ = false;
  std::unique_ptr<kernels::Device::Recording> recording_;
  const std::string label_ = "step";
};

}  // namespace ddlbench::runtime
