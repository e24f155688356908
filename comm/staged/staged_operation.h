#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "comm/staged/stage.h"

namespace ddlbench::comm {

/// Pinned memory of one operation, or none.
class Staging {
 public:
  Staging(Stage& stage, std::int64_t bytes)
      : stage_(stage), bytes_(static_cast<std::size_t>(bytes)), memory_(stage.allocate(bytes_)) {}
  ~Staging() { stage_.release(memory_, bytes_); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  std::byte* at(std::int64_t offset) const { return memory_ ? static_cast<std::byte*>(memory_) + offset : nullptr; }

 private:
  Stage& stage_;
  std::size_t bytes_;
  void* memory_;
};
using StagingPtr = std::unique_ptr<Staging>;

/// What is copied before and after the host's operation.
struct StagedCopies {
  struct Out {
    void* host = nullptr;
    const void* device = nullptr;
    std::int64_t bytes = 0;
  };
  struct In {
    void* device = nullptr;
    const void* host = nullptr;
    std::int64_t bytes = 0;
  };
  std::vector<Out> out;
  std::vector<In> in;
};

/// Copies out, an operation of the host over the staging, copies in.
class StagedOperation final : public Operation {
 public:
  StagedOperation(std::shared_ptr<Stage> stage, StagingPtr staging, StagedCopies copies, OperationPtr host);
  ~StagedOperation() override;

  void start() override;
  bool complete() override;
  void wait() override;
  bool done() const override { return state_ == State::complete; }
  Times times() const override { return times_; }

  /// As far as it goes without waiting, and no further than the copies out unless it `may_begin` on the host. Whether
  /// it has begun there.
  bool advance(bool may_begin);
  bool begun() const { return state_ != State::copying_out; }

 private:
  enum class State : std::uint8_t { prepared, copying_out, on_host, copying_in, complete };

  void land();
  /// Asks, or waits, for the host's operation.
  void attend(bool wait);

  std::shared_ptr<Stage> stage_;
  StagingPtr staging_;
  StagedCopies copies_;
  OperationPtr host_;
  HostCopy::Ticket out_ = 0;
  HostCopy::Ticket in_ = 0;
  State state_ = State::prepared;
  Times times_;
};

}  // namespace ddlbench::comm
