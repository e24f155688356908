#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "runtime/events.h"
#include "runtime/host_memory.h"
#include "runtime/sequence.h"
#include "runtime/stream_times.h"

namespace ddlbench::runtime {

/// A sequence for an asynchronous device. The host enqueues everything on the device's streams, where events keep the
/// program's order, and continues; it waits only when asked to. If the host drives communications, it waits for one
/// before it enqueues whatever depends on it. Within a stream, the stream's order suffices.
///
/// If nothing in the sequence needs the host, it is recorded in the first run that allows recording (Run::record),
/// except its very first run. From then on it is launched as a whole.
class StreamSequence final : public Sequence {
 public:
  StreamSequence(const std::vector<program::Instruction>& instructions, const Preparation& preparation);

  bool records_next() const override;
  void issue(const Run& run) override;
  void close() override { end_.record(graph::Stream::compute); }
  void complete() override { watch(end_, end_label_); }
  std::int64_t ended() const override { return times_.ended(); }
  void write(Recorder& recorder, const OwnedEvent* input) override;

 private:
  /// How one instruction is enqueued.
  struct Place {
    graph::Stream stream = graph::Stream::compute;             ///< of instructions that are not started by the host
    bool on_stream = true;                                     ///< false for communications that the host drives
    std::vector<program::InstructionId> waits;                 ///< communications that the host completes first
    std::vector<program::InstructionId> stream_waits;          ///< instructions that the stream waits for first
    program::InstructionId host_follows = program::none;       ///< a computation that the host waits for first, or none
    program::InstructionId host_follows_copy = program::none;  ///< a copy that the host waits for first, or none
    OwnedEvent event;  ///< recorded after it, if a stream or the host waits for it
  };

  Place& at(program::InstructionId id) { return places_[static_cast<std::size_t>(id)]; }
  void place(const std::vector<program::Instruction>& instructions);
  void begin_stream(const Place& place, bool by_host);
  void enqueue_all(const Run& run, bool recording, std::size_t& current);
  void enqueue(std::size_t index);
  void fork();
  void watch(const OwnedEvent& event, const std::string& label);

  kernels::Device& device_;
  comm::Communicator& channel_;
  program::Route route_;
  PreparedInstructions steps_;
  std::vector<Place> places_;
  std::vector<program::InstructionId> waits_at_end_, stream_waits_at_end_;
  HostMemory bounce_;  ///< for copies, one after another
  StreamTimes times_;
  OwnedEvent fork_;
  OwnedEvent end_;
  std::array<bool, graph::recorded_streams> begun_{};  ///< by stream: an instruction is placed there
  std::vector<graph::Stream> forks_;                   ///< wait for fork_ at the beginning
  bool host_follows_fork_ = false;
  bool recordable_ = false;
  bool has_run_ = false;
  std::unique_ptr<kernels::Device::Recording> recording_;
  const std::string start_label_ = "start of the step", end_label_ = "end of the step";
};

}  // namespace ddlbench::runtime
