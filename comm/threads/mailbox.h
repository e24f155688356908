#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "comm/point_to_point.h"

namespace ddlbench::comm::threads {

/// One end of a message between two ranks of the process. It is a node of an intrusive list, so posting does not
/// allocate.
struct Posting {
  enum class State : std::uint8_t {
    idle,
    posted,   ///< in the mailbox, the other end is not posted yet
    matched,  ///< either end may transfer the bytes
    moving,   ///< one end transfers the bytes
    done,
    lost,  ///< the other end was cancelled or has another size: the message never completes
  };

  bool sends = false;
  int source = 0;  ///< world rank, as the destination
  int destination = 0;
  std::uint64_t group = 0;
  std::int64_t bytes = 0;
  const void* message = nullptr;  ///< for a sender
  ReceiveTarget target;           ///< for a receiver

  std::uint64_t sequence = 0;
  std::atomic<State> state{State::idle};  ///< modified only under the mailbox's mutex
  Posting* partner = nullptr;
  Posting* next = nullptr;

  int other() const { return sends ? destination : source; }
};

/// Matches the two ends of the messages to one rank. Rendezvous protocol: once both ends are posted, the bytes are
/// copied directly from the sender's memory to the receiver's.
class Mailbox {
 public:
  enum class Match { none, found, mismatch };

  /// Posts one end. If the other end is posted, both become `matched`. On a mismatch, `other_bytes` is set to the size
  /// of the other end.
  Match post(Posting& posting, std::int64_t& other_bytes);
  /// Transfers the bytes of a matched message, unless the other end already does. Returns whether this call did it.
  bool move(Posting& posting);
  /// Returns the posting to idle; waits for a transfer that is in progress.
  void cancel(Posting& posting);

 private:
  struct Queue {
    Posting* first = nullptr;
    Posting* last = nullptr;
    void append(Posting& posting);
    void remove(Posting& posting);
    Posting* find(const Posting& like) const;
  };
  Queue& queue(bool sends) { return sends ? sends_ : receives_; }

  std::mutex mutex_;
  Queue sends_;
  Queue receives_;
};

}  // namespace ddlbench::comm::threads
