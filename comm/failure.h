#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>

#include "comm/communicator.h"

namespace ddlbench::comm {

/// The first failure of a world. All pending and later waits throw it.
class Failure {
 public:
  /// `wake` is called once, after the first failure has been stored, to wake all waiting threads.
  explicit Failure(std::function<void()> wake) : wake_(std::move(wake)) {}

  /// Stores a failure; the arguments are those of CommunicationError. Failures after the first are consequences of it
  /// and are dropped.
  void raise(CommunicationError::Kind kind, int rank, const std::string& operation, const std::string& what);
  void rethrow() const;  ///< throws the failure if there is one
  bool raised() const { return failed_.load(); }
  const std::string& what() const { return what_; }  ///< without the operation; valid once raised

 private:
  std::function<void()> wake_;
  std::mutex mutex_;
  std::atomic<bool> failed_{false};  ///< the members below do not change once this is set
  CommunicationError::Kind kind_{};
  int rank_ = -1;
  std::string operation_;
  std::string what_;
};

}  // namespace ddlbench::comm
