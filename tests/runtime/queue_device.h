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
  unsigned seed = 0;          ///< in which order streams go on: which is preferred, or by chance
  bool on_stream = false;     ///< its ranks communicate in its communication stream
  bool records = false;       ///< it can record
  std::int64_t dropped = -1;  ///< the hold, counted from 0, that it forgets
};

/// An asynchronous device whose streams do nothing until somebody asks for something, and then go on in any order that
/// marks allow: a missing hold is a wrong result for some seed. Its kernels are the reference device's. Its memory
/// cannot be touched by the host: an address of it is none of the process. Wrong use throws std::logic_error; so does a
/// recording that begins while ranks communicate, where one may have to wait for what records.
class QueueDevice final : public kernels::Device {
 public:
  explicit QueueDevice(const QueueOptions& options);
  ~QueueDevice() override;

  std::string kind() const override { return "queue"; }
  std::string description() const override { return "reference kernels in queues"; }
  std::unique_ptr<kernels::Kernel> bind(const kernels::Binding& binding) override;
  void* allocate(std::size_t bytes) override;
  void release(void* memory) noexcept override;
  std::int64_t handed_out_bytes() const override;
  void copy_in(void* device, const void* host, std::size_t bytes) override;
  void copy_out(void* host, const void* device, std::size_t bytes) override;
  void fill_zero(void* device, std::size_t bytes) override;

  bool asynchronous() const override { return true; }
  kernels::Event make_event(kernels::Mark kind) override;
  void release_event(kernels::Event event) noexcept override;
  void record(kernels::Event event, graph::Stream stream) override;
  void hold(graph::Stream stream, kernels::Event event) override;
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

  /// What the host may touch in place of an address of this device.
  void* real(const void* device) const;
  /// Work of the host's in a stream: called until it returns true.
  void put(graph::Stream stream, const std::function<bool()>* work);

  /// Whether communication is preferred to all else.
  bool hasty() const { return options_.seed % 7 == 1 || options_.seed % 7 == 4; }

  const QueueOptions& options() const { return options_; }
  std::int64_t holds() const { return holds_; }            ///< asked for so far
  std::int64_t recordings() const { return recordings_; }  ///< launched so far
  std::int64_t times_told() const { return times_told_; }  ///< by time_of() so far
  /// How often the host has waited: for marks that had not come, for all streams, in copies without a stream.
  std::int64_t waits() const { return waits_; }
  bool idle() const;  ///< nothing is left on its streams
  /// Communications on its stream: what they were told of starts and replays, and how often they moved.
  std::int64_t communications_told = 0, communications_moved = 0;
  int events() const { return live_events_; }

 private:
  friend class QueueKernel;
  friend class QueueRecording;
  static constexpr std::size_t most_operands = 12;

  struct Command {
    enum class Kind : std::uint8_t { launch, copy, mark, hold, work } kind = Kind::launch;
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
    kernels::Mark kind = kernels::Mark::order;
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
  void push_mark(graph::Stream stream, kernels::Event event);
  void push_hold(graph::Stream stream, kernels::Event event);
  void join_all();
  void launch(const Noted& noted);
  bool run(Command& command);
  bool advance();
  void advance_or_give_way();
  void drain(graph::Stream stream);

  QueueOptions options_;
  std::unique_ptr<kernels::Device> inner_ = kernels::make_device("reference", {});
  std::map<const std::byte*, Memory> memory_;  ///< by address of the device
  std::map<const std::byte*, std::vector<std::byte>> pinned_;
  std::array<Queue, graph::streams> queues_;
  std::vector<Place> events_;
  std::array<kernels::Event, graph::recorded_streams> joins_{};
  int live_events_ = 0;
  std::uint32_t chance_;
  std::int64_t holds_ = 0;
  std::int64_t recordings_ = 0;
  std::int64_t times_told_ = 0;
  std::int64_t waits_ = 0;
  bool recording_ = false;
  Noted noted_;
};

}  // namespace ddlbench::test
