#include "comm/staged/staged_operation.h"

#include <algorithm>

#include "base/error.h"
#include "comm/polling.h"

namespace ddlbench::comm {

namespace {

std::size_t size(std::int64_t bytes) {
  return static_cast<std::size_t>(bytes);
}

}  // namespace

StagedOperation::StagedOperation(std::shared_ptr<StagingContext> stage, StagingPtr staging, StagedCopies copies,
                                 OperationPtr host)
    : context_(std::move(stage)), staging_(std::move(staging)), copies_(std::move(copies)), host_(std::move(host)) {
  std::erase_if(copies_.out, [](const StagedCopies::Out& copy) { return copy.bytes == 0; });
  std::erase_if(copies_.in, [](const StagedCopies::In& copy) { return copy.bytes == 0; });
  context_->reserve_slot();
  out_ = context_->copy().make_event();
  in_ = context_->copy().make_event();
}

StagedOperation::~StagedOperation() {
  context_->remove(*this);
  context_->release_slot();
  host_.reset();
  // The copies use the staging memory until they are done.
  if (state_ == State::copying_out) context_->copy().synchronize(out_);
  if (state_ == State::copying_in) context_->copy().synchronize(in_);
  context_->copy().release_event(out_);
  context_->copy().release_event(in_);
}

void StagedOperation::start() {
  context_->rethrow();
  require(state_ == State::prepared || state_ == State::complete,
          "a communication was started again before it was complete");
  times_.started = Clock::now();
  for (const StagedCopies::Out& copy : copies_.out)
    context_->copy().begin_out(copy.host, copy.device, size(copy.bytes));
  context_->copy().record_out(out_);
  state_ = State::copying_out;
  context_->add(*this);
  context_->advance();
}

bool StagedOperation::advance(bool may_begin) {
  // This applies without a copy out, too: what the outgoing queue waits for may still use the buffer that the copy in
  // writes.
  if (state_ == State::copying_out && may_begin && context_->copy().complete(out_)) {
    host_->start();
    state_ = State::on_host;
  }
  if (state_ == State::on_host && host_->done()) start_copy_in();
  if (state_ == State::copying_in && (copies_.in.empty() || context_->copy().complete(in_))) {
    times_.finished = Clock::now();
    state_ = State::complete;
  }
  return begun();
}

void StagedOperation::start_copy_in() {
  for (const StagedCopies::In& copy : copies_.in) context_->copy().begin_in(copy.device, copy.host, size(copy.bytes));
  context_->copy().record_in(in_);
  state_ = State::copying_in;
}

void StagedOperation::poll_or_wait(bool wait) {
  bool finished = true;
  try {
    if (wait) {
      host_->wait();
    } else {
      finished = host_->complete();
    }
  } catch (...) {
    context_->fail();
  }
  if (finished) start_copy_in();
}

bool StagedOperation::complete() {
  require(state_ != State::prepared, "a communication was queried before it was started");
  if (done()) return true;
  context_->advance();
  if (state_ == State::on_host) {
    poll_or_wait(false);
    if (state_ == State::copying_in) context_->advance();
  }
  return done();
}

void StagedOperation::wait() {
  require(state_ != State::prepared, "a communication was waited for before it was started");
  const Clock::time_point since = Clock::now();
  while (!complete()) {
    // A peer may be waiting for an operation that has not begun here yet, so blocking is safe only when all have begun.
    if (state_ == State::on_host && context_->all_begun()) {
      poll_or_wait(true);
    } else {
      pause_polling(since);
    }
  }
}

}  // namespace ddlbench::comm
