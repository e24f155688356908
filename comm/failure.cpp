#include "comm/failure.h"

namespace ddlbench::comm {

void Failure::raise(CommunicationError::Kind kind, int rank, const std::string& operation, const std::string& what) {
  {
    const std::lock_guard lock(mutex_);
    if (failed_.load()) return;
    kind_ = kind;
    rank_ = rank;
    operation_ = operation;
    what_ = what;
    failed_.store(true);
  }
  wake_();
}

void Failure::rethrow() const {
  // Every thread throws its own exception object, because ranks must not share its string.
  if (failed_.load()) throw CommunicationError(kind_, rank_, operation_, what_);
}

}  // namespace ddlbench::comm
