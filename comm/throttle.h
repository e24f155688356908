#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "comm/link_clock.h"
#include "comm/point_to_point.h"
#include "comm/progress.h"

namespace ddlbench::comm {

class ThrottledSend;

/// The link of one rank to all other ranks, artificially slowed down. Messages pass one after another at the given
/// bandwidth, and each leaves `latency` after its transfer, and up to `jitter` later: how much is a pure function of
/// the rank and the number of the message. Messages keep their order, so a delayed one may delay those behind it. A
/// message is passed to the transport only when it leaves, so neither end completes before start + latency + bytes /
/// bandwidth. Messages to the rank itself bypass the link.
class Link {
 public:
  Link(const Throttle& throttle, int rank, Progress& progress);

  int rank() const { return rank_; }  ///< in the world
  bool stalled() const;               ///< callable from any thread

 private:
  friend class ThrottledSend;

  void post(ThrottledSend& message);
  /// Passes the messages that are due to the transport, in the order in which they were posted.
  void release();
  void cancel(ThrottledSend& message);
  double next_jitter();

  const Throttle throttle_;
  const int rank_;
  Progress& progress_;
  mutable std::mutex mutex_;
  LinkClock clock_;
  Clock::time_point free_at_{};  ///< in the link's time
  std::uint64_t messages_ = 0;
  ThrottledSend* first_ = nullptr;  ///< an intrusive list: posting does not allocate
  ThrottledSend* last_ = nullptr;
};

/// The messages of one group, sent through the link of their rank. Both arguments must outlive it.
class ThrottledMessages final : public PointToPoint {
 public:
  ThrottledMessages(PointToPoint& messages, Link& link) : messages_(messages), link_(link) {}

  int rank() const override { return messages_.rank(); }
  int size() const override { return messages_.size(); }
  std::unique_ptr<Request> send(int to, const void* data, std::int64_t bytes, const std::string& label) override;
  std::unique_ptr<Request> receive(int from, const ReceiveTarget& target, std::int64_t bytes,
                                   const std::string& label) override {
    return messages_.receive(from, target, bytes, label);
  }
  bool reduces() const override { return messages_.reduces(); }
  std::uint64_t next_collective() override { return messages_.next_collective(); }
  /// A rank whose own link is stalled is itself to blame: the others wait for its messages.
  int blame(std::uint64_t sequence, int member) const override {
    return link_.stalled() ? link_.rank() : messages_.blame(sequence, member);
  }

 private:
  PointToPoint& messages_;
  Link& link_;
};

}  // namespace ddlbench::comm
