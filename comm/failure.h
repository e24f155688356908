#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include "comm/communicator.h"

namespace ddlbench::comm {

/// The first failure of a world: from then on every pending and later wait throws it.
class Failure {
 public:
  /// `wake` is called once, after the first failure is in place, to wake whoever waits.
  explicit Failure(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// Arguments as of CommunicationError. Later failures are consequences of the first and are dropped.
  void raise(CommunicationError::Kind kind, int rank, const std::string& operation, const std::string& what);
  void rethrow() const;  ///< if there is one
  bool raised() const { return failed_.load(); }
  const std::string& what() const { return what_; }  ///< without the operation; once raised

 private:
  std::function<void()> wake_;
  std::mutex mutex_;
  std::atomic<bool> failed_{false};  ///< what follows is constant once this is set
  CommunicationError::Kind kind_{};
  int rank_ = -1;
  std::string operation_;
  std::string what_;
};

}  // namespace ddlbench::comm
