#include "comm/schedule.h"

#include <utility>

#include "base/error.h"

namespace ddlbench::comm {

using collectives::Memory;
using collectives::Range;
using collectives::ReceivePart;
using collectives::Step;
using collectives::StepList;

namespace {

const void* address(const Range& range, const Memories& memories) {
  const void* base = range.memory == Memory::input    ? memories.input
                     : range.memory == Memory::output ? memories.output
                                                      : memories.scratch;
  return static_cast<const std::byte*>(base) + bytes_of(range.offset, memories.dtype);
}

void* target_address(const Range& range, const Memories& memories) {
  require(range.memory != Memory::input, "a step writes to the input");
  void* base = range.memory == Memory::output ? memories.output : memories.scratch;
  return static_cast<std::byte*>(base) + bytes_of(range.offset, memories.dtype);
}

/// Delivers `bytes` bytes of a message, starting at `offset`.
void deliver_part(ReceiveTarget target, const void* message, std::int64_t offset, std::int64_t bytes) {
  target.data = static_cast<std::byte*>(target.data) + offset;
  if (target.operand) target.operand = static_cast<const std::byte*>(target.operand) + offset;
  deliver(target, static_cast<const std::byte*>(message) + offset, bytes);
}

}  // namespace

std::int64_t scratch_bytes(const StepList& list, graph::DType dtype, const PointToPoint& point_to_point) {
  const std::int64_t target = point_to_point.reduces() ? 0 : largest_reduction(list);
  return bytes_of(list.scratch + target, dtype);
}

Schedule::Schedule(PointToPoint& point_to_point, SentCounters& sent, Kind kind, std::string label)
    : point_to_point_(point_to_point), sent_(sent), kind_(kind), label_(std::move(label)) {}

Schedule::Work Schedule::receive(const ReceivePart& part, const Memories& memories, std::int64_t receive_offset) {
  Work work;
  work.bytes = bytes_of(part.into.count, memories.dtype);
  ReceiveTarget target{target_address(part.into, memories), nullptr, part.incoming_first, memories.dtype,
                       memories.reduction};
  if (part.operand) target.operand = address(*part.operand, memories);
  if (part.operand && !point_to_point_.reduces()) {
    void* aside = target_address({Memory::scratch, receive_offset, part.into.count}, memories);
    work.target = target;
    work.message = aside;
    target = {aside, nullptr, true, memories.dtype, memories.reduction};
  }
  work.request = point_to_point_.receive(part.from, target, work.bytes, label_);
  return work;
}

void Schedule::add(const StepList& list, const Memories& memories) {
  for (const Step& step : list.steps) {
    Round round;
    if (step.receive) round.push_back(receive(*step.receive, memories, list.scratch));
    if (step.send) {
      Work work;
      work.bytes = bytes_of(step.send->from.count, memories.dtype);
      work.sends = true;
      work.request = point_to_point_.send(step.send->to, address(step.send->from, memories), work.bytes, label_);
      round.push_back(std::move(work));
    }
    if (step.copy && step.copy->from.count > 0) {
      Work work;
      work.bytes = bytes_of(step.copy->from.count, memories.dtype);
      work.message = address(step.copy->from, memories);
      work.target.data = target_address(step.copy->into, memories);
      if (work.target.data != work.message) round.push_back(std::move(work));
    }
    if (!round.empty()) rounds_.push_back(std::move(round));
  }
  round_ = rounds_.size();
}

void Schedule::add(const std::vector<Outgoing>& sends, const std::vector<Incoming>& receives) {
  Round round;
  for (const Incoming& incoming : receives) {
    Work work;
    work.bytes = incoming.bytes;
    ReceiveTarget target;
    target.data = incoming.data;
    work.request = point_to_point_.receive(incoming.from, target, incoming.bytes, label_);
    round.push_back(std::move(work));
  }
  for (const Outgoing& outgoing : sends) {
    Work work;
    work.bytes = outgoing.bytes;
    work.sends = true;
    work.request = point_to_point_.send(outgoing.to, outgoing.data, outgoing.bytes, label_);
    round.push_back(std::move(work));
  }
  if (!round.empty()) rounds_.push_back(std::move(round));
  round_ = rounds_.size();
}

void Schedule::begin(std::uint64_t sequence) {
  require(done(), "a communication was started again before it was complete");
  sequence_ = sequence;
  round_ = 0;
  posted_ = false;
}

void Schedule::post(Round& round) {
  for (Work& work : round) {
    work.arrived = false;
    work.done = false;
    work.delivered = 0;
    if (!work.request) continue;
    work.request->post(sequence_);
    if (work.sends) sent_.add(kind_, work.bytes);
  }
}

Schedule::Advance Schedule::advance(Work& work, std::int64_t limit) {
  bool moved = false;
  if (work.request && !work.arrived) {
    // A message that the transport may hold back because of the limit counts as deferred.
    work.arrived = work.request->test(limit);
    if (!work.arrived && !work.message) return {false, work.bytes > limit};
  }
  if (work.message) {
    if (work.bytes > limit) return {false, true};
    // The beginning of a long message is reduced while it is in cache and the rest is still arriving.
    const std::int64_t there = !work.request || work.arrived ? work.bytes : work.request->arrived();
    if (there > work.delivered) {
      deliver_part(work.target, work.message, work.delivered, there - work.delivered);
      work.delivered = there;
      moved = true;
    }
    if (work.request && !work.arrived) return {moved, false};
  }
  work.done = true;
  return {true, false};
}

Schedule::Advance Schedule::advance(std::int64_t limit) {
  Advance total;
  while (!done()) {
    Round& round = rounds_[round_];
    if (!posted_) {
      post(round);
      posted_ = true;
      total.moved = true;
    }
    total.deferred = false;
    bool all_done = true;
    for (Work& work : round) {
      if (work.done) continue;
      const Advance one = advance(work, limit);
      total.moved |= one.moved;
      total.deferred |= one.deferred;
      all_done &= work.done;
    }
    if (!all_done) break;
    ++round_;
    posted_ = false;
  }
  return total;
}

int Schedule::waiting_for() const {
  if (done() || !posted_) return -1;
  for (const Work& work : rounds_[round_]) {
    if (work.request && !work.arrived) return work.request->peer();
  }
  return -1;
}

}  // namespace ddlbench::comm
