#include "runtime/stream_times.h"

#include <algorithm>

namespace ddlbench::runtime {

using namespace program;
using kernels::Mark;

StreamTimes::StreamTimes(kernels::Device& device, Steps& steps)
    : device_(device), steps_(steps), marks_(steps.size() + 1), first_(device, Mark::time), last_(device, Mark::time) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kernel != nullptr) marks_[i].done = OwnedMark(device, Mark::time);
  }
}

void StreamTimes::blame(std::size_t instruction, std::vector<InstructionId> others) {
  Marks& marks = marks_[instruction];
  marks.blamed = std::move(others);
  if (!marks.blamed.empty() && instruction < steps_.size()) marks.begun = OwnedMark(device_, Mark::time);
  for (const InstructionId id : marks.blamed) {
    if (steps_[id].operation == nullptr) marks_[static_cast<std::size_t>(id)].done = OwnedMark(device_, Mark::time);
  }
}

void StreamTimes::transfer_on_stream(std::size_t instruction) {
  marks_[instruction].begun = OwnedMark(device_, Mark::time);
  marks_[instruction].done = OwnedMark(device_, Mark::time);
}

void StreamTimes::transfer_after(std::size_t instruction, InstructionId compute) {
  marks_[instruction].after = compute;
}

void StreamTimes::reserve() {
  std::size_t blamed = 0;
  for (const Marks& marks : marks_) blamed += marks.blamed.size();
  spans_.reserve(steps_.size() + blamed);
}

void StreamTimes::before(std::size_t instruction, graph::Stream stream) {
  if (marks_[instruction].begun) marks_[instruction].begun.record(stream);
}

void StreamTimes::after(std::size_t instruction, graph::Stream stream) {
  if (marks_[instruction].done) marks_[instruction].done.record(stream);
}

void StreamTimes::note_transfers() {
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_[i].operation != nullptr && !marks_[i].done) marks_[i].times = steps_[i].operation->times();
  }
}

std::int64_t StreamTimes::completed(InstructionId id) const {
  const Marks& marks = at(id);
  return marks.done ? marks.done.time() : nanoseconds(marks.times.finished);
}

/// Attributes the idle time of the compute stream from `time` to `end` to the instructions that it waited for, and
/// returns the end.
std::int64_t StreamTimes::wait_for(const Marks& marks, std::int64_t time, std::int64_t end) {
  for (const InstructionId id : marks.blamed) {
    const bool last = id == marks.blamed.back();
    const std::int64_t until = last ? end : std::min(end, completed(id));
    span(Activity::wait, id, time, until);
    time = std::max(time, until);
  }
  return time;
}

Transfer StreamTimes::transfer(InstructionId id) const {
  const Marks& marks = at(id);
  if (marks.done) return {id, marks.begun.time(), marks.done.time()};
  Transfer transfer{id, nanoseconds(marks.times.started), nanoseconds(marks.times.finished)};
  const OwnedMark& earliest = marks.after == none ? first_ : at(marks.after).done;
  transfer.begin = std::max(transfer.begin, earliest.time());
  transfer.end = std::max(transfer.begin, transfer.end);
  return transfer;
}

void StreamTimes::write(Recorder& recorder) {
  spans_.clear();
  std::int64_t time = first_.time();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const auto id = static_cast<InstructionId>(i);
    const Marks& marks = marks_[i];
    if (steps_[i].operation != nullptr) recorder.transfer(transfer(id));
    if (steps_[i].kernel == nullptr) continue;
    if (marks.begun) time = wait_for(marks, time, marks.begun.time());
    const std::int64_t end = marks.done.time();
    span(Activity::compute, id, time, end);
    time = std::max(time, end);
  }
  wait_for(marks_.back(), time, last_.time());

  // The device's clock deviates slightly from the host's. Spans are clamped to the step.
  const std::int64_t latest = recorder.step().end;
  for (const Span& s : spans_) {
    const std::int64_t begin = std::clamp(s.begin, recorder.time(), latest);
    const std::int64_t end = std::clamp(s.end, begin, latest);
    if (end > begin) recorder.span(s.activity, s.instruction, begin, end);
  }
}

}  // namespace ddlbench::runtime
