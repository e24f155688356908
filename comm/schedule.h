#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "collectives/steps.h"
#include "comm/counters.h"
#include "comm/point_to_point.h"
#include "comm/task.h"

namespace ddlbench::comm {

/// The memories that the ranges of a StepList refer to, and the type and reduction of its elements.
struct Memories {
  const void* input = nullptr;
  void* output = nullptr;
  void* scratch = nullptr;
  graph::DType dtype = graph::DType::u8;
  graph::Reduction reduction = graph::Reduction::sum;
};

/// Returns the bytes of scratch that a schedule of `list` needs over this transport.
std::int64_t scratch_bytes(const collectives::StepList& list, graph::DType dtype, const PointToPoint& point_to_point);

/// A task that executes steps as point-to-point messages.
class Schedule final : public Task {
 public:
  Schedule(PointToPoint& point_to_point, SentCounters& sent, Kind kind, std::string label);

  /// Adds one round for each step that has parts.
  void add(const collectives::StepList& list, const Memories& memories);
  /// Adds one round of messages that are posted together.
  void add(const std::vector<Outgoing>& sends, const std::vector<Incoming>& receives);

  void begin(std::uint64_t sequence) override;
  Advance advance(std::int64_t limit) override;
  bool done() const override { return round_ == rounds_.size(); }
  std::uint64_t sequence() const override { return sequence_; }
  int waiting_for() const override;
  Kind kind() const override { return kind_; }
  const std::string& label() const override { return label_; }

 private:
  struct Work {
    std::unique_ptr<Request> request;  ///< null for a copy within this rank
    ReceiveTarget target;              ///< of a copy, or of a reduction that the transport does not do
    const void* message = nullptr;     ///< source of the copy or reduction; null: none
    std::int64_t bytes = 0;
    std::int64_t delivered = 0;  ///< bytes of the message that have been copied or reduced
    bool sends = false;
    bool arrived = false;
    bool done = false;
  };
  using Round = std::vector<Work>;

  void post(Round& round);
  Advance advance(Work& work, std::int64_t limit);
  Work receive(const collectives::ReceivePart& part, const Memories& memories, std::int64_t receive_offset);

  PointToPoint& point_to_point_;
  SentCounters& sent_;
  Kind kind_;
  std::string label_;
  std::vector<Round> rounds_;
  std::size_t round_ = 0;
  bool posted_ = false;
  std::uint64_t sequence_ = 0;
};

}  // namespace ddlbench::comm
