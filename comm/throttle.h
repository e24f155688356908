#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "comm/point_to_point.h"
#include "comm/progress.h"

namespace ddlbench::comm {

class ThrottledSend;

/// One rank's way out to all others, slower than it is: a message leaves `latency` after it was started, and
/// after the bytes before it and its own have passed one after another at the bandwidth. Messages to oneself
/// do not take it. Until its time a message has not been given to the transport: so it is complete on neither end
/// before start + latency + bytes / bandwidth.
class Link {
 public:
  Link(const Throttle& throttle, Progress& progress) : throttle_(throttle), progress_(progress) {}

 private:
  friend class ThrottledSend;

  void post(ThrottledSend& message);
  /// Gives the transport what is due, in the order in which it was posted.
  void release();
  void withdraw(ThrottledSend& message);

  const Throttle throttle_;
  Progress& progress_;
  std::mutex mutex_;
  Clock::time_point free_at_{};
  ThrottledSend* first_ = nullptr;  ///< an intrusive list: nothing allocates
  ThrottledSend* last_ = nullptr;
};

/// Messages of one group through the link of their rank. All three must outlive it.
class ThrottledMessages final : public PointToPoint {
 public:
  ThrottledMessages(PointToPoint& messages, Link& link) : messages_(messages), link_(link) {}

  int rank() const override { return messages_.rank(); }
  int size() const override { return messages_.size(); }
  std::unique_ptr<Request> send(int to, const void* data, std::int64_t bytes, const std::string& label) override;
  std::unique_ptr<Request> receive(int from, const Landing& landing, std::int64_t bytes,
                                   const std::string& label) override {
    return messages_.receive(from, landing, bytes, label);
  }
  bool reduces() const override { return messages_.reduces(); }
  std::uint64_t next_collective() override { return messages_.next_collective(); }
  int blame(std::uint64_t sequence, int member) const override { return messages_.blame(sequence, member); }

 private:
  PointToPoint& messages_;
  Link& link_;
};

}  // namespace ddlbench::comm
