#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "comm/communicator.h"
#include "comm/staged/staging_context.h"

namespace ddlbench::comm {

/// The pinned memory of one operation, possibly none.
class Staging {
 public:
  Staging(StagingContext& stage, std::int64_t bytes)
      : context_(stage), bytes_(static_cast<std::size_t>(bytes)), memory_(stage.allocate(bytes_)) {}
  ~Staging() { context_.release(memory_, bytes_); }
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  std::byte* at(std::int64_t offset) const { return memory_ ? static_cast<std::byte*>(memory_) + offset : nullptr; }

 private:
  StagingContext& context_;
  std::size_t bytes_;
  void* memory_;
};
using StagingPtr = std::unique_ptr<Staging>;

/// The copies before and after the host operation.
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

/// An operation that copies out of the device, runs a host operation on the staging memory and copies back.
class StagedOperation final : public Operation {
 public:
  StagedOperation(std::shared_ptr<StagingContext> stage, StagingPtr staging, StagedCopies copies, OperationPtr host);
  ~StagedOperation() override;

  void start() override;
  bool complete() override;
  void wait() override;
  bool done() const override { return state_ == State::complete; }
  Times times() const override { return times_; }

  /// Advances as far as possible without blocking, but begins on the host only if `may_begin` is set. Returns whether
  /// it has begun there.
  bool advance(bool may_begin);
  bool begun() const { return state_ != State::copying_out; }

 private:
  enum class State : std::uint8_t { prepared, copying_out, on_host, copying_in, complete };

  void start_copy_in();
  /// Polls the host operation, or waits for it if `wait` is set.
  void poll_or_wait(bool wait);

  std::shared_ptr<StagingContext> context_;
  StagingPtr staging_;
  StagedCopies copies_;
  OperationPtr host_;
  HostCopy::Event out_ = 0;
  HostCopy::Event in_ = 0;
  State state_ = State::prepared;
  Times times_;
};

}  // namespace ddlbench::comm
