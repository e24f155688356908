#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "comm/point_to_point.h"

namespace ddlbench::comm::threads {

/// One end of a message between two ranks of the process. Nodes of intrusive lists: nothing allocates.
struct Posting {
  enum class State : std::uint8_t {
    idle,
    posted,   ///< in the mailbox, without its other end
    matched,  ///< the bytes can be moved, by whoever comes first
    moving,   ///< someone moves them
    done,
    lost,  ///< the other end was withdrawn, or has another size: this will not be done
  };

  bool sends = false;
  int source = 0;  ///< world ranks
  int destination = 0;
  std::uint64_t group = 0;
  std::int64_t bytes = 0;
  const void* message = nullptr;  ///< of a sender
  Landing landing;                ///< of a receiver

  std::uint64_t sequence = 0;
  std::atomic<State> state{State::idle};  ///< changed under the mailbox's mutex alone
  Posting* partner = nullptr;
  Posting* next = nullptr;

  int other() const { return sends ? destination : source; }
};

/// Where the two ends of the messages to one rank meet. Rendezvous: bytes go straight from the sender's
/// memory to the receiver's, once both ends are there.
class Mailbox {
 public:
  enum class Match { none, found, mismatch };

  /// Posts one end; with its other end, if that is there, it is `matched`. On a mismatch `other_bytes` is
  /// what the other end said.
  Match post(Posting& posting, std::int64_t& other_bytes);
  /// Moves the bytes of a matched message, unless someone else already does. True if it did.
  bool move(Posting& posting);
  /// Back to idle; waits for a move that is under way.
  void withdraw(Posting& posting);

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
