#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/device.h"

namespace ddlbench::test {

struct QueueOptions {
  unsigned seed = 0;          ///< selects the order in which streams proceed: a fixed priority or a random one
  bool on_stream = false;     ///< ranks communicate in the communication stream
  bool records = false;       ///< the device can record
  std::int64_t dropped = -1;  ///< the number, from 0, of the stream wait that the device omits; −1: none
  /// Makes the device, on the host, whose kernels run.
  std::unique_ptr<kernels::Device> (*make_kernels)() = [] { return kernels::make_device("reference", {}); };
};

/// An asynchronous device for tests. Its streams are idle until the host asks for a result, and then proceed in any
/// order that events allow, so that a missing stream wait gives a wrong result for some seed. The host cannot access
/// its memory: device addresses are not readable in the process. Incorrect use throws std::logic_error. So does a
/// recording that begins while ranks communicate, because a communication might have to wait for the recording.
class QueueDevice final : public kernels::Device {
 public:
  explicit QueueDevice(const QueueOptions& options);
  ~QueueDevice() override;

  std::string kind() const override { return "queue"; }
  std::string description() const override { return "kernels in queues"; }
  std::unique_ptr<kernels::Kernel> bind(const kernels::Binding& binding) override;
  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  std::int64_t allocated_bytes() const override;
  void copy_in(void* device, const void* host, std::size_t bytes) override;
  void copy_out(void* host, const void* device, std::size_t bytes) override;
  void fill_zero(void* device, std::size_t bytes) override;

  bool asynchronous() const override { return true; }
  kernels::Event make_event(kernels::EventKind kind) override;
  void release_event(kernels::Event event) noexcept override;
  void record(kernels::Event event, graph::Stream stream) override;
  void wait_for_event(graph::Stream stream, kernels::Event event) override;
  bool complete(kernels::Event event) override;
  void wait(kernels::Event event) override;
  std::int64_t time_of(kernels::Event event) override;
  void align_clock() override;
  void finish() override;

  void* allocate_host(std::size_t bytes) override;
  void release_host(void* memory) noexcept override;
  void copy_in(void* device, const void* pinned, std::size_t bytes, graph::Stream stream) override;
  void copy_out(void* pinned, const void* device, std::size_t bytes, graph::Stream stream) override;

  bool can_record() const override { return options_.records; }
  void begin_recording() override;
  std::unique_ptr<Recording> end_recording() override;
  void abandon_recording() noexcept override { recording_ = false; }

  /// Returns the host memory behind an address of this device.
  void* real(const void* device) const;
  /// Enqueues work of the host in a stream. `work` is called until it returns true.
  void put(graph::Stream stream, const std::function<bool()>* work);

  /// Returns true if the communication stream has priority over all others.
  bool prefers_communication() const { return options_.seed % 7 == 1 || options_.seed % 7 == 4; }

  const QueueOptions& options() const { return options_; }
  std::int64_t stream_waits() const { return stream_waits_; }  ///< stream waits requested so far
  std::int64_t recordings() const { return recordings_; }      ///< launched so far
  std::int64_t times_read() const { return times_read_; }      ///< number of calls of time_of() so far
  /// Returns how often the host has waited: for incomplete events, for all streams, or in copies without a stream.
  std::int64_t waits() const { return waits_; }
  bool idle() const;  ///< nothing is left on the streams
  /// Communications on the stream: the number of starts and replays reported to them, and how often they ran.
  std::int64_t communications_reported = 0, communications_run = 0;
  int events() const { return live_events_; }

 private:
  friend class QueueKernel;
  friend class QueueRecording;
  static constexpr std::size_t most_operands = 12;

  struct Command {
    enum class Kind : std::uint8_t { launch, copy, mark, wait_for_event, work } kind = Kind::launch;
    kernels::Kernel* kernel = nullptr;
    std::array<const void*, most_operands> inputs{};
    std::array<void*, most_operands> outputs{};
    void* workspace = nullptr;
    const graph::Scalars* scalars = nullptr;
    std::size_t bytes = 0;
    kernels::Event event = 0;
    std::int64_t generation = 0;
    const std::function<bool()>* work = nullptr;
  };
  struct Queue {
    std::vector<Command> commands;
    std::size_t head = 0;
    bool empty() const { return head == commands.size(); }
  };
  struct Place {
    kernels::EventKind kind = kernels::EventKind::order;
    std::int64_t recorded = 0, completed = 0, time = 0;
    bool in_recording = false;
  };
  struct Memory {
    std::size_t bytes = 0;
    std::size_t mapped = 0;
    std::vector<std::byte> real;
  };
  using Noted = std::vector<std::pair<graph::Stream, Command>>;

  Place& at(kernels::Event event) { return events_.at(static_cast<std::size_t>(event)); }
  void push(graph::Stream stream, const Command& command);
  void push_event(graph::Stream stream, kernels::Event event);
  void push_wait(graph::Stream stream, kernels::Event event);
  void join_all();
  void launch(const Noted& noted);
  bool run(Command& command);
  bool advance();
  void advance_or_yield();
  void drain(graph::Stream stream);

  QueueOptions options_;
  std::unique_ptr<kernels::Device> inner_ = options_.make_kernels();
  std::map<const std::byte*, Memory> memory_;  ///< by device address
  std::map<const std::byte*, std::vector<std::byte>> pinned_;
  std::array<Queue, graph::streams> queues_;
  std::vector<Place> events_;
  std::array<kernels::Event, graph::recorded_streams> joins_{};
  int live_events_ = 0;
  std::uint32_t chance_;
  std::int64_t stream_waits_ = 0;
  std::int64_t recordings_ = 0;
  std::int64_t times_read_ = 0;
  std::int64_t waits_ = 0;
  bool recording_ = false;
  Noted noted_;
};

}  // namespace ddlbench::test
