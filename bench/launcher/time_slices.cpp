#include "bench/launcher/time_slices.h"

namespace ddlbench::bench {

void TimeSlices::add(Suspendable& process) {
  processes_.push_back(&process);
  waits_.push_back(false);
  process.suspend();
}

void TimeSlices::begin() {
  if (processes_.empty()) return;
  processes_.front()->resume();
  slice_end_ = Clock::now() + length_;
}

void TimeSlices::update() {
  if (ended_ || processes_.empty()) return;
  bool any_can_run = false;
  for (std::size_t i = 0; i < processes_.size(); ++i) any_can_run |= can_run(i);
  if (!any_can_run) end_waits();
  if (!can_run(current_) || Clock::now() >= slice_end_) pass_on();
}

void TimeSlices::end() {
  ended_ = true;
  for (Suspendable* process : processes_) process->resume();
}

void TimeSlices::pass_on() {
  const std::size_t before = current_;
  for (std::size_t step = 1; step <= processes_.size(); ++step) {
    current_ = (before + step) % processes_.size();
    if (can_run(current_)) break;
  }
  if (current_ != before) {
    processes_[before]->suspend();
    processes_[current_]->resume();
  }
  slice_end_ = Clock::now() + length_;
}

}  // namespace ddlbench::bench
