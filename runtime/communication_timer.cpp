#include "runtime/communication_timer.h"

#include <time.h>

#include <algorithm>

#include "program/cost_table.h"
#include "runtime/events.h"
#include "runtime/op_timer.h"
#include "runtime/operations.h"
#include "runtime/recorder.h"
#include "runtime/storage.h"
#include "runtime/tally.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

constexpr std::int64_t pause_nanoseconds = 50000;

/// Simulates computation by busy-waiting. A rank that waits for this one yields its core meanwhile, as in a step. The
/// duration is CPU time of this thread, so ranks that share a core pause one after the other.
void pause() {
  const auto used = [] {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * std::int64_t{1000000000} + time.tv_nsec;
  };
  const std::int64_t end = used() + pause_nanoseconds;
  while (used() < end) {
  }
}

/// Measures the time between begin() and end() and waits for what was started in between. Uses the host's clock, or
/// events in the stream on which the operations run.
class Stopwatch {
 public:
  Stopwatch(kernels::Device& device, const Channels& channels)
      : device_(device), channels_(channels), on_stream_(channels.route == Route::stream) {
    if (!on_stream_) return;
    for (OwnedEvent* event : {&begun_, &ended_}) *event = OwnedEvent(device, kernels::EventKind::time);
    complete_ = OwnedEvent(device, kernels::EventKind::order);
  }

  void begin() {
    if (!on_stream_) {
      begin_ = now();
      return;
    }
    device_.align_clock();  // after a long time without alignment, times would be too coarse
    begun_.record(graph::Stream::communication);
  }
  /// Call after an operation that the next one must follow.
  void follow(comm::Operation& operation) const {
    if (!on_stream_) operation.wait();
  }
  /// Returns nanoseconds.
  std::int64_t end() {
    if (!on_stream_) return now() - begin_;
    ended_.record(graph::Stream::communication);
    complete_.record(graph::Stream::communication);
    channels_.device.watch([this] { return std::int64_t{complete_.complete() ? 0 : 1}; }, "calibrate");
    return ended_.time() - begun_.time();
  }

 private:
  kernels::Device& device_;
  Channels channels_;
  bool on_stream_;
  OwnedEvent begun_, ended_, complete_;
  std::int64_t begin_ = 0;
};

}  // namespace

std::int64_t time_collective(const CollectiveCall& call, const Channels& group, kernels::Device& device, int runs) {
  const std::int64_t whole = bytes_of(moved_elements(call), call.input.type.dtype);
  const bool in_place = call.input.view == call.output.view;
  const DeviceMemory input(device, whole), output(device, in_place ? 0 : std::max(whole, call.output.view.bytes));
  const DeviceMemory workspace(device, call.workspace.bytes);
  CollectiveCall placed = call;
  placed.input.view = {0, 0, call.input.view.bytes};
  placed.output.view = {in_place ? 0 : 1, 0, call.output.view.bytes};
  placed.workspace = {2, 0, call.workspace.bytes};
  const auto operation = prepare(placed, group.device, "calibrate", [&](const View& view) {
    return view.buffer == 0 ? input.data() : view.buffer == 1 ? output.data() : workspace.data();
  });
  std::vector<std::int64_t> nanoseconds;
  Stopwatch stopwatch(device, group);
  for (int run = 0; run < runs; ++run) {
    pause();
    stopwatch.begin();
    operation->start();
    stopwatch.follow(*operation);
    nanoseconds.push_back(-stopwatch.end());
  }
  all_reduce(nanoseconds, group.host, graph::Reduction::max);
  for (std::int64_t& time : nanoseconds) time = -time;
  return 1000 * lower_quartile(std::move(nanoseconds));
}

LinkTimes time_link(const Channels& channels, kernels::Device& device, std::int64_t bytes) {
  constexpr int runs = 20;
  comm::Communicator& world = channels.device;
  const bool first_rank = world.rank() == 0;
  const int other = 1 - world.rank();
  const std::int64_t paused = channels.route == Route::stream ? 0 : pause_nanoseconds;
  const DeviceMemory memory(device, bytes);
  LinkTimes times;
  Stopwatch stopwatch(device, channels);
  std::vector<std::int64_t> starts;
  // An empty message puts nothing on a stream.
  const std::int64_t least = channels.route == Route::stream ? 1 : 0;
  for (const std::int64_t size : {least, bytes}) {
    const auto send = world.exchange({{memory.data(), size, other}}, {}, "calibrate");
    const auto receive = world.exchange({}, {{memory.data(), size, other}}, "calibrate");
    std::vector<std::int64_t> round_trips;
    for (int run = 0; run < runs; ++run) {
      if (first_rank) pause();
      stopwatch.begin();
      for (const bool first : {true, false}) {
        const bool sends = first_rank == first;
        if (sends && !first && paused > 0) pause();
        comm::Operation& operation = sends ? *send : *receive;
        const std::int64_t start = now();
        operation.start();
        starts.push_back(now() - start);
        stopwatch.follow(operation);
      }
      round_trips.push_back(std::max<std::int64_t>(0, stopwatch.end() - paused));
    }
    // Rank 1 waited while rank 0 paused, so its round trip is not a measurement.
    (size == least ? times.latency : times.large) = 1000 * lower_quartile(std::move(round_trips)) / 2;
  }
  times.start = 1000 * lower_quartile(std::move(starts));
  return times;
}

}  // namespace ddlbench::runtime
