#include "runtime/stream_sequence.h"

#include <algorithm>

#include "program/actions.h"
#include "program/host_waits.h"
#include "program/stream_waits.h"
#include "runtime/rethrow.h"

namespace ddlbench::runtime {

using namespace program;

namespace {

using graph::Stream;

void append(std::vector<InstructionId>& list, const std::vector<InstructionId>& more) {
  list.insert(list.end(), more.begin(), more.end());
}

}  // namespace

StreamSequence::StreamSequence(const std::vector<Instruction>& instructions, const Preparation& preparation)
    : device_(preparation.device),
      channel_(preparation.channels.device),
      route_(preparation.channels.route),
      steps_(instructions, preparation),
      bounce_(device_, steps_.largest_copy()),
      times_(device_, steps_),
      fork_(device_, kernels::EventKind::order),
      end_(device_, kernels::EventKind::order) {
  recordable_ = why_not_recorded(device_, preparation.channels, steps_.communicates()).empty();
  place(instructions);
  times_.reserve();
}

void StreamSequence::place(const std::vector<Instruction>& instructions) {
  const StreamWaits stream_waits = plan_stream_waits(instructions, route_);
  const HostWaits waits = plan_host_waits(instructions);
  const bool host_waits = route_ != Route::stream;
  places_.resize(instructions.size());
  const auto event = [this](InstructionId id) {
    if (!at(id).event) at(id).event = OwnedEvent(device_, kernels::EventKind::order);
  };
  const auto last_of_each_stream = [&](const std::vector<InstructionId>& all) {
    std::vector<InstructionId> last;
    for (const InstructionId id : all) {
      const Stream stream = at(id).stream;
      std::erase_if(last, [&](InstructionId other) { return at(other).stream == stream; });
      last.push_back(id);
    }
    for (const InstructionId id : last) event(id);
    return last;
  };
  std::vector<InstructionId> since_compute;  // waited for since a computation was last enqueued
  for (std::size_t i = 0; i < instructions.size(); ++i) {
    const Instruction& instruction = instructions[i];
    Place& place = places_[i];
    if (host_waits) place.waits = waits.communications[i];
    append(since_compute, place.waits);
    place.stream = stream_of(instruction, route_).value_or(Stream::compute);
    if (is_communication(instruction)) {
      place.on_stream = !host_waits;
      if (host_waits) times_.transfer_after(i, waits.compute[i]);
      if (!host_waits) times_.transfer_on_stream(i);
    } else if (place.stream == Stream::compute) {
      append(since_compute, stream_waits.before[i]);
      times_.blame(i, std::exchange(since_compute, {}));
    }
    place.stream_waits = last_of_each_stream(stream_waits.before[i]);
    begin_stream(place, is_communication(instruction) && route_ == Route::host);
    if (is_communication(instruction) && route_ == Route::host) {
      place.host_follows = waits.compute[i];
      for (const Dependency& d : instruction.after) {
        if (d.iterations == 0 &&
            std::holds_alternative<Copy>(instructions[static_cast<std::size_t>(d.instruction)].action))
          place.host_follows_copy = std::max(place.host_follows_copy, d.instruction);
      }
      for (const InstructionId id : {place.host_follows, place.host_follows_copy})
        if (id != none) event(id);
    }
  }
  if (host_waits) waits_at_end_ = waits.at_end;
  append(since_compute, waits_at_end_);
  append(since_compute, stream_waits.at_end);
  times_.blame(instructions.size(), std::move(since_compute));
  stream_waits_at_end_ = last_of_each_stream(stream_waits.at_end);
}

/// Notes how the first instruction of a stream is ordered after the compute stream, if it waits for no computation.
void StreamSequence::begin_stream(const Place& place, bool by_host) {
  if (by_host) {
    host_follows_fork_ = true;
    return;
  }
  bool& begun = begun_[static_cast<std::size_t>(place.stream)];
  if (!begun && place.stream != Stream::compute && place.stream_waits.empty()) forks_.push_back(place.stream);
  begun = true;
}

bool StreamSequence::records_next() const {
  return recordable_ && has_run_ && !recording_;
}

void StreamSequence::issue(const Run& run) {
  std::size_t current = 0;
  try {
    times_.begin();
    const bool records = run.record && records_next();
    if (records) {
      try {
        device_.begin_recording();
        enqueue_all(run, true, current);
        recording_ = device_.end_recording();
      } catch (...) {
        device_.abandon_recording();
        throw;
      }
    }
    if (run.record && recording_) {
      recording_->launch();
      for (std::size_t i = 0; i < steps_.size(); ++i) {
        steps_[i].count(run.launched);
        if (!records && steps_[i].operation != nullptr) steps_[i].operation->replayed();
      }
    } else {
      enqueue_all(run, false, current);
    }
    times_.end();
  } catch (...) {
    if (current == steps_.size()) throw;
    rethrow_in("instruction '" + steps_.instruction(current).name + "'");
  }
  has_run_ = true;
}

void StreamSequence::enqueue_all(const Run& run, bool recording, std::size_t& current) {
  fork();
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    for (const InstructionId id : places_[i].waits) {
      current = static_cast<std::size_t>(id);
      steps_[id].operation->wait();
    }
    current = i;
    if (run.before) run.before(run.mode, steps_.instruction(i));
    enqueue(i);
    if (!recording) steps_[i].count(run.launched);
  }
  for (const InstructionId id : waits_at_end_) {
    current = static_cast<std::size_t>(id);
    steps_[id].operation->wait();
  }
  current = steps_.size();
  if (route_ != Route::stream) times_.note_transfers();
  for (const InstructionId id : stream_waits_at_end_) at(id).event.wait_for_event(Stream::compute);
}

/// Orders instructions that wait for nothing on the compute stream after what was there before: scalars and input.
void StreamSequence::fork() {
  if (forks_.empty() && !host_follows_fork_) return;
  fork_.record(Stream::compute);
  for (const Stream stream : forks_) fork_.wait_for_event(stream);
  if (host_follows_fork_) watch(fork_, start_label_);
}

/// Makes the host wait for `mark`, while communications that need the host make progress.
void StreamSequence::watch(const OwnedEvent& event, const std::string& label) {
  channel_.watch([&event] { return std::int64_t{event.complete() ? 0 : 1}; }, label);
}

void StreamSequence::enqueue(std::size_t index) {
  PreparedInstruction& step = steps_[index];
  const Place& place = places_[index];
  for (const InstructionId id : place.stream_waits) at(id).event.wait_for_event(place.stream);
  for (const InstructionId id : {place.host_follows, place.host_follows_copy}) {
    if (id != none) watch(at(id).event, steps_.instruction(static_cast<std::size_t>(id)).name);
  }
  if (place.on_stream) times_.before(index, place.stream);
  if (step.kernel != nullptr) {
    step.kernel->launch(step.arguments);
  } else if (step.operation != nullptr) {
    step.operation->start();
  } else {
    const auto bytes = static_cast<std::size_t>(step.copy_bytes);
    device_.copy_out(bounce_.data(), step.arguments.inputs[0], bytes, Stream::copy);
    device_.copy_in(step.arguments.outputs[0], bounce_.data(), bytes, Stream::copy);
  }
  if (place.on_stream) times_.after(index, place.stream);
  if (place.event) place.event.record(place.stream);
}

void StreamSequence::write(Recorder& recorder, const OwnedEvent* input) {
  if (input != nullptr) recorder.input_until(input->time());
  times_.write(recorder);
}

}  // namespace ddlbench::runtime
