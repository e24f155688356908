#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/nccl/rank.h"

namespace ddlbench::comm::nccl {

/// A group of NCCL calls that start() enqueues on the rank's stream. It is complete when the stream is empty.
class StreamOperation final : public Operation {
 public:
  /// `bytes` is added to the counters at each start and replay.
  StreamOperation(Rank& rank, Handle& handle, std::vector<Call> calls, Kind kind, std::int64_t bytes,
                  std::string label);

  void start() override;
  void replayed() override;
  bool complete() override;
  void wait() override;
  bool done() const override { return state_ == State::complete; }
  Times times() const override;  ///< throws ContractError

 private:
  enum class State : std::uint8_t { prepared, started, complete };

  /// Polls the stream. Returns whether the operation is complete now.
  bool poll();

  Rank& rank_;
  Handle& handle_;
  const std::vector<Call> calls_;
  const Kind kind_;
  const std::int64_t bytes_;
  const std::string label_;
  State state_ = State::prepared;
  std::optional<PollingWait> polling_wait_;  ///< created by the first poll after a start
};

}  // namespace ddlbench::comm::nccl
