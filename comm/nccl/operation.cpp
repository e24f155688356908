#include "comm/nccl/operation.h"

#include <utility>

#include "base/error.h"

namespace ddlbench::comm::nccl {

StreamOperation::StreamOperation(Rank& rank, Handle& handle, std::vector<Call> calls, Kind kind, std::int64_t bytes,
                                 std::string label)
    : rank_(rank),
      handle_(handle),
      calls_(std::move(calls)),
      kind_(kind),
      bytes_(bytes),
      label_(label.empty() ? std::string(name(kind)) : std::move(label)) {}

void StreamOperation::start() {
  // Does not query the stream, because it may be in capture mode.
  rank_.enqueue(handle_, calls_, label_);
  rank_.sent().add(kind_, bytes_);
  state_ = State::started;
  polling_wait_.reset();
}

void StreamOperation::replayed() {
  rank_.sent().add(kind_, bytes_);
}

bool StreamOperation::poll() {
  if (!rank_.stream_done(label_)) return false;
  rank_.rethrow();  // an abort empties the stream, too
  state_ = State::complete;
  return true;
}

bool StreamOperation::complete() {
  require(state_ != State::prepared, "a communication was queried before it was started");
  if (done() || poll()) return true;
  if (!polling_wait_) polling_wait_.emplace(rank_);
  polling_wait_->check(label_);
  return false;
}

void StreamOperation::wait() {
  require(state_ != State::prepared, "a communication was waited for before it was started");
  if (done()) return;
  if (!polling_wait_) polling_wait_.emplace(rank_);
  while (!poll()) polling_wait_->pause(label_);
}

Operation::Times StreamOperation::times() const {
  throw ContractError("an operation on a stream has no times");
}

}  // namespace ddlbench::comm::nccl
