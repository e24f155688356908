#include "runtime/queue_device.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>
#include <stdexcept>
#include <thread>

namespace ddlbench::test {

using graph::Stream;
using kernels::Event;
using kernels::EventKind;

namespace {

void check_use(bool truth, const char* what) {
  if (!truth) throw std::logic_error(std::string("queue device: ") + what);
}

std::size_t index(Stream stream) {
  return static_cast<std::size_t>(stream);
}

}  // namespace

class QueueKernel final : public kernels::Kernel {
 public:
  QueueKernel(QueueDevice& device, std::unique_ptr<Kernel> inner, const kernels::Binding& binding)
      : device_(device), inner_(std::move(inner)), inputs_(binding.inputs.size()), outputs_(binding.outputs.size()) {
    check_use(inputs_ <= QueueDevice::most_operands && outputs_ <= QueueDevice::most_operands,
              "more operands than there is room for");
  }
  void launch(const kernels::Arguments& arguments) override {
    QueueDevice::Command command;
    command.kernel = inner_.get();
    for (std::size_t i = 0; i < inputs_; ++i) command.inputs[i] = device_.real(arguments.inputs[i]);
    for (std::size_t i = 0; i < outputs_; ++i) command.outputs[i] = device_.real(arguments.outputs[i]);
    command.workspace = device_.real(arguments.workspace);
    command.scalars = static_cast<const graph::Scalars*>(device_.real(arguments.scalars));
    device_.push(Stream::compute, command);
  }
  std::size_t workspace_bytes() const override { return inner_->workspace_bytes(); }
  double flops() const override { return inner_->flops(); }

 private:
  QueueDevice& device_;
  std::unique_ptr<Kernel> inner_;
  std::size_t inputs_, outputs_;
};

class QueueRecording final : public kernels::Device::Recording {
 public:
  QueueRecording(QueueDevice& device, QueueDevice::Noted noted) : device_(device), noted_(std::move(noted)) {}
  void launch() override { device_.launch(noted_); }

 private:
  QueueDevice& device_;
  QueueDevice::Noted noted_;
};

QueueDevice::QueueDevice(const QueueOptions& options) : options_(options), chance_(options.seed * 2654435761U + 1) {
  // Larger than the commands of two steps of any test, however late peers are, so that a steady step allocates nothing.
  for (Queue& queue : queues_) queue.commands.reserve(2048);
  for (Event& event : joins_) event = make_event(EventKind::order);
  live_events_ = 0;
}

QueueDevice::~QueueDevice() {
  for (const auto& [address, memory] : memory_) ::munmap(const_cast<std::byte*>(address), memory.mapped);
}

std::unique_ptr<kernels::Kernel> QueueDevice::bind(const kernels::Binding& binding) {
  return std::make_unique<QueueKernel>(*this, inner_->bind(binding), binding);
}

void* QueueDevice::allocate(std::size_t bytes) {
  const std::size_t mapped = std::max<std::size_t>(bytes, 1);
  void* address = ::mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) throw std::bad_alloc();
  memory_[static_cast<std::byte*>(address)] = {bytes, mapped, std::vector<std::byte>(bytes, std::byte{0xff})};
  return address;
}

std::int64_t QueueDevice::allocated_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& [address, memory] : memory_) bytes += static_cast<std::int64_t>(memory.bytes);
  return bytes;
}

void QueueDevice::release(void* memory) noexcept {
  const auto found = memory_.find(static_cast<std::byte*>(memory));
  if (found == memory_.end()) return;
  ::munmap(memory, found->second.mapped);
  memory_.erase(found);
}

void* QueueDevice::real(const void* device) const {
  if (device == nullptr) return nullptr;
  const auto* address = static_cast<const std::byte*>(device);
  auto found = memory_.upper_bound(address);
  check_use(found != memory_.begin(), "an address that is none of its own");
  --found;
  const std::ptrdiff_t offset = address - found->first;
  check_use(static_cast<std::size_t>(offset) <= found->second.bytes, "an address that is none of its own");
  return const_cast<std::byte*>(found->second.real.data()) + offset;
}

void QueueDevice::copy_in(void* device, const void* host, std::size_t bytes) {
  drain(Stream::compute);
  std::memcpy(real(device), host, bytes);
}

void QueueDevice::copy_out(void* host, const void* device, std::size_t bytes) {
  drain(Stream::compute);
  std::memcpy(host, real(device), bytes);
}

void QueueDevice::fill_zero(void* device, std::size_t bytes) {
  drain(Stream::compute);
  std::memset(real(device), 0, bytes);
}

Event QueueDevice::make_event(EventKind kind) {
  events_.push_back({kind, 0, 0, 0, false});
  ++live_events_;
  return static_cast<Event>(events_.size() - 1);
}

void QueueDevice::release_event(Event) noexcept {
  --live_events_;
}

void QueueDevice::record(Event event, Stream stream) {
  push_event(stream, event);
}

void QueueDevice::wait_for_event(Stream stream, Event event) {
  check_use(at(event).kind == EventKind::order, "a stream is held by a mark for times");
  check_use(at(event).in_recording == recording_, "a hold from outside of a recording to its inside, or back");
  if (stream_waits_++ != options_.dropped) push_wait(stream, event);
}

bool QueueDevice::complete(Event event) {
  check_use(!at(event).in_recording, "a mark in a recording is asked for");
  advance();
  return at(event).completed == at(event).recorded;
}

void QueueDevice::wait(Event event) {
  if (complete(event)) return;
  ++waits_;
  while (!complete(event)) advance_or_yield();
}

std::int64_t QueueDevice::time_of(Event event) {
  ++times_read_;
  check_use(at(event).kind == EventKind::time, "the time of a mark for order");
  check_use(at(event).recorded > 0 && at(event).completed == at(event).recorded,
            "the time of a mark that has not come");
  return at(event).time;
}

void QueueDevice::align_clock() {
  for (std::size_t s = 0; s < graph::recorded_streams; ++s) {
    const Queue& queue = queues_[s];
    // Nothing waits for the stream to pass the waits at the end of a recording.
    const auto works = [](const Command& command) {
      return command.kind != Command::Kind::mark && command.kind != Command::Kind::wait_for_event;
    };
    if (std::any_of(queue.commands.begin() + static_cast<std::ptrdiff_t>(queue.head), queue.commands.end(), works)) {
      throw std::logic_error("a clock is aligned while a stream has work");
    }
  }
}

bool QueueDevice::idle() const {
  return std::all_of(queues_.begin(), queues_.end(), [](const Queue& queue) { return queue.empty(); });
}

void QueueDevice::finish() {
  for (const Stream stream : {Stream::compute, Stream::communication, Stream::copy, Stream::input}) drain(stream);
}

void* QueueDevice::allocate_host(std::size_t bytes) {
  std::vector<std::byte> memory(bytes + 1);
  void* address = memory.data();
  pinned_[memory.data()] = std::move(memory);
  return address;
}

void QueueDevice::release_host(void* memory) noexcept {
  pinned_.erase(static_cast<const std::byte*>(memory));
}

void QueueDevice::copy_in(void* device, const void* pinned, std::size_t bytes, Stream stream) {
  Command command;
  command.kind = Command::Kind::copy;
  command.inputs[0] = pinned;
  command.outputs[0] = real(device);
  command.bytes = bytes;
  push(stream, command);
}

void QueueDevice::copy_out(void* pinned, const void* device, std::size_t bytes, Stream stream) {
  Command command;
  command.kind = Command::Kind::copy;
  command.inputs[0] = real(device);
  command.outputs[0] = pinned;
  command.bytes = bytes;
  push(stream, command);
}

void QueueDevice::begin_recording() {
  check_use(can_record() && !recording_, "it cannot record now");
  const Queue& queue = queues_[static_cast<std::size_t>(Stream::communication)];
  const bool communicates =
      std::any_of(queue.commands.begin() + static_cast<std::ptrdiff_t>(queue.head), queue.commands.end(),
                  [](const Command& command) { return command.kind == Command::Kind::work; });
  check_use(!communicates, "a recording begins while ranks communicate");
  recording_ = true;
  noted_.clear();
}

std::unique_ptr<kernels::Device::Recording> QueueDevice::end_recording() {
  check_use(recording_, "no recording was begun");
  recording_ = false;
  return std::make_unique<QueueRecording>(*this, std::move(noted_));
}

void QueueDevice::launch(const Noted& noted) {
  ++recordings_;
  join_all();
  for (const auto& [stream, command] : noted) {
    if (command.kind == Command::Kind::mark) {
      push_event(stream, command.event);
    } else if (command.kind == Command::Kind::wait_for_event) {
      push_wait(stream, command.event);
    } else {
      push(stream, command);
    }
  }
  join_all();
}

void QueueDevice::put(Stream stream, const std::function<bool()>* work) {
  Command command;
  command.kind = Command::Kind::work;
  command.work = work;
  push(stream, command);
}

void QueueDevice::push(Stream stream, const Command& command) {
  check_use(!recording_ || stream != Stream::input, "a batch is loaded while the device records");
  if (recording_) return noted_.emplace_back(stream, command), void();
  Queue& queue = queues_[index(stream)];
  if (queue.commands.size() == queue.commands.capacity()) {  // removes completed commands first
    queue.commands.erase(queue.commands.begin(), queue.commands.begin() + static_cast<std::ptrdiff_t>(queue.head));
    queue.head = 0;
  }
  queue.commands.push_back(command);
}

void QueueDevice::push_event(Stream stream, Event event) {
  Command command;
  command.kind = Command::Kind::mark;
  command.event = event;
  if (recording_) at(event).in_recording = true;
  if (!recording_) command.generation = ++at(event).recorded;
  push(stream, command);
}

void QueueDevice::push_wait(Stream stream, Event event) {
  Command command;
  command.kind = Command::Kind::wait_for_event;
  command.event = event;
  command.generation = at(event).recorded;
  push(stream, command);
}

void QueueDevice::join_all() {
  for (std::size_t s = 0; s < graph::recorded_streams; ++s) push_event(static_cast<Stream>(s), joins_[s]);
  for (std::size_t s = 0; s < graph::recorded_streams; ++s) {
    for (const Event event : joins_) push_wait(static_cast<Stream>(s), event);
  }
}

bool QueueDevice::run(Command& command) {
  switch (command.kind) {
    case Command::Kind::launch:
      command.kernel->launch({command.inputs.data(), command.outputs.data(), command.workspace, command.scalars});
      return true;
    case Command::Kind::copy:
      std::memcpy(command.outputs[0], command.inputs[0], command.bytes);
      return true;
    case Command::Kind::mark:
      at(command.event).completed = command.generation;
      at(command.event).time = std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
      return true;
    case Command::Kind::wait_for_event:
      return at(command.event).completed >= command.generation;
    case Command::Kind::work:
      return (*command.work)();
  }
  return false;
}

/// Runs one command of the preferred stream, or of another. Returns false if no stream can proceed.
bool QueueDevice::advance() {
  static constexpr std::array<std::array<std::size_t, graph::streams>, 6> orders{
      {{0, 1, 2, 3}, {1, 3, 2, 0}, {2, 0, 1, 3}, {0, 2, 3, 1}, {3, 1, 0, 2}, {3, 2, 1, 0}}};
  const unsigned policy = options_.seed % (orders.size() + 1);
  chance_ = chance_ * 1664525U + 1013904223U;
  const auto& order = orders[policy < orders.size() ? policy : (chance_ >> 16) % orders.size()];
  for (const std::size_t s : order) {
    Queue& queue = queues_[s];
    if (queue.empty() || !run(queue.commands[queue.head])) continue;
    if (++queue.head == queue.commands.size()) {
      queue.commands.clear();
      queue.head = 0;
    }
    return true;
  }
  return false;
}

void QueueDevice::advance_or_yield() {
  if (!advance()) std::this_thread::yield();
}

void QueueDevice::drain(Stream stream) {
  check_use(!recording_, "something that waits is recorded");
  ++waits_;
  while (!queues_[index(stream)].empty()) advance_or_yield();
}

}  // namespace ddlbench::test
