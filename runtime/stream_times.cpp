#include "runtime/stream_times.h"

#include <algorithm>

namespace ddlbench::runtime {

using namespace program;
using kernels::EventKind;

StreamTimes::StreamTimes(kernels::Device& device, PreparedInstructions& steps)
    : device_(device),
      steps_(steps),
      events_(steps.size() + 1),
      first_(device, EventKind::time),
      last_(device, EventKind::time) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kernel != nullptr) events_[i].done = OwnedEvent(device, EventKind::time);
  }
}

void StreamTimes::blame(std::size_t instruction, std::vector<InstructionId> others) {
  Events& events = events_[instruction];
  events.blamed = std::move(others);
  if (!events.blamed.empty() && instruction < steps_.size()) events.begun = OwnedEvent(device_, EventKind::time);
  for (const InstructionId id : events.blamed) {
    if (steps_[id].operation == nullptr)
      events_[static_cast<std::size_t>(id)].done = OwnedEvent(device_, EventKind::time);
  }
}

void StreamTimes::transfer_on_stream(std::size_t instruction) {
  events_[instruction].begun = OwnedEvent(device_, EventKind::time);
  events_[instruction].done = OwnedEvent(device_, EventKind::time);
}

void StreamTimes::transfer_after(std::size_t instruction, InstructionId compute) {
  events_[instruction].after = compute;
}

void StreamTimes::reserve() {
  std::size_t blamed = 0;
  for (const Events& events : events_) blamed += events.blamed.size();
  spans_.reserve(steps_.size() + blamed);
}

void StreamTimes::before(std::size_t instruction, graph::Stream stream) {
  if (events_[instruction].begun) events_[instruction].begun.record(stream);
}

void StreamTimes::after(std::size_t instruction, graph::Stream stream) {
  if (events_[instruction].done) events_[instruction].done.record(stream);
}

void StreamTimes::note_transfers() {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].operation != nullptr && !events_[i].done) events_[i].times = steps_[i].operation->times();
  }
}

std::int64_t StreamTimes::completed(InstructionId id) const {
  const Events& events = at(id);
  return events.done ? events.done.time() : nanoseconds(events.times.finished);
}

/// Attributes the idle time of the compute stream from `time` to `end` to the instructions that it waited for, and
/// returns the end.
std::int64_t StreamTimes::wait_for(const Events& events, std::int64_t time, std::int64_t end) {
  for (const InstructionId id : events.blamed) {
    const bool last = id == events.blamed.back();
    const std::int64_t until = last ? end : std::min(end, completed(id));
    span(Activity::wait, id, time, until);
    time = std::max(time, until);
  }
  return time;
}

Transfer StreamTimes::transfer(InstructionId id) const {
  const Events& events = at(id);
  if (events.done) return {id, events.begun.time(), events.done.time()};
  Transfer transfer{id, nanoseconds(events.times.started), nanoseconds(events.times.finished)};
  const OwnedEvent& earliest = events.after == none ? first_ : at(events.after).done;
  transfer.begin = std::max(transfer.begin, earliest.time());
  transfer.end = std::max(transfer.begin, transfer.end);
  return transfer;
}

void StreamTimes::write(Recorder& recorder) {
  spans_.clear();
  std::int64_t time = first_.time();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto id = static_cast<InstructionId>(i);
    const Events& events = events_[i];
    if (steps_[i].operation != nullptr) recorder.transfer(transfer(id));
    if (steps_[i].kernel == nullptr) continue;
    if (events.begun) time = wait_for(events, time, events.begun.time());
    const std::int64_t end = events.done.time();
    span(Activity::compute, id, time, end);
    time = std::max(time, end);
  }
  wait_for(events_.back(), time, last_.time());

  // The device's clock deviates slightly from the host's. Spans are clamped to the step.
  const std::int64_t latest = recorder.step().end;
  for (const Span& s : spans_) {
    const std::int64_t begin = std::clamp(s.begin, recorder.time(), latest);
    const std::int64_t end = std::clamp(s.end, begin, latest);
    if (end > begin) recorder.span(s.activity, s.instruction, begin, end);
  }
}

}  // namespace ddlbench::runtime
