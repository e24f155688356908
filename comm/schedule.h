#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "comm/algorithms/steps.h"
#include "comm/counters.h"
#include "comm/point_to_point.h"

namespace ddlbench::comm {

/// The memories that the ranges of a StepList lie in, and how its elements are reduced.
struct Memories {
  const void* input = nullptr;
  void* output = nullptr;
  void* scratch = nullptr;
  graph::DType dtype = graph::DType::u8;
  graph::Reduction reduction = graph::Reduction::sum;
};

/// Bytes of scratch that a schedule of `list` wants over this transport.
std::int64_t scratch_bytes(const StepList& list, graph::DType dtype, const PointToPoint& point_to_point);

/// Executes steps over point-to-point messages: built once, run many times, without allocating again.
class Schedule {
 public:
  Schedule(PointToPoint& point_to_point, SentCounters& sent, Kind kind, std::string label);

  /// One round for each step.
  void add(const StepList& list, const Memories& memories);
  /// One round of messages posted together.
  void add(const std::vector<Outgoing>& sends, const std::vector<Incoming>& receives);

  void begin(std::uint64_t sequence);

  struct Advance {
    bool moved = false;     ///< something happened
    bool deferred = false;  ///< something could happen now that is larger than the limit
  };
  /// Goes as far as the peers allow. No piece of work is larger than `limit` bytes.
  Advance advance(std::int64_t limit);

  bool done() const { return round_ == rounds_.size(); }
  std::uint64_t sequence() const { return sequence_; }
  /// The member that the current round waits for; −1 where it waits for none.
  int waiting_for() const;
  Kind kind() const { return kind_; }
  const std::string& label() const { return label_; }

 private:
  struct Work {
    std::unique_ptr<Request> request;  ///< null: a copy within this rank
    Landing landing;                   ///< of a copy, and of a reduction that the transport leaves to us
    const void* message = nullptr;     ///< what is landed when the request is done; null: nothing
    std::int64_t bytes = 0;
    bool sends = false;
    bool arrived = false;
    bool done = false;
  };
  using Round = std::vector<Work>;

  void post(Round& round);
  Advance advance(Work& work, std::int64_t limit);
  Work receive(const ReceivePart& part, const Memories& memories, std::int64_t landing_offset);

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
