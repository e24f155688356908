#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <mutex>
#include <vector>

#include "comm/gloo/frame.h"

namespace ddlbench::comm::gloo {

/// What a message and its receive have in common. Those with equal addresses match in the order of their arrival.
struct Address {
  std::uint64_t launch = 0;
  std::uint64_t group = 0;
  std::uint64_t sequence = 0;
  int source = 0;  ///< world rank
  bool operator==(const Address&) const = default;
};

/// A receive of this process. A node of an intrusive list, so posting does not allocate.
struct Posting {
  enum class State : std::uint8_t {
    idle,
    posted,    ///< the message has not begun to arrive
    arriving,  ///< a thread writes to `data`
    claimed,   ///< the message arrives in a parcel, from which it will be copied
    done,
    broken,  ///< never completes: the message has another size, or its connection was lost
  };
  Address address;
  std::byte* data = nullptr;
  std::int64_t bytes = 0;
  std::atomic<State> state{State::idle};  ///< modified only under the mailbox's mutex
  std::atomic<std::int64_t> arrived{0};   ///< bytes from the beginning
  Posting* next = nullptr;
};

/// A message that began to arrive before its receive was posted.
struct Parcel {
  Address address;
  std::vector<std::byte> data;
  bool whole = false;
  Posting* posting = nullptr;  ///< that waits for it
  bool dropped = false;        ///< its posting was cancelled, or has another size
};

/// Matches the receives of a process with the messages that arrive for it.
class Mailbox {
 public:
  /// What to do with an arriving message: write it to the posting, or else fill the parcel.
  struct Place {
    Posting* posting = nullptr;
    Parcel* parcel = nullptr;
    std::int64_t expected = 0;  ///< of a posting with another size, which is broken; the message then fills the parcel
    bool mismatch = false;
  };
  Place arriving(const Address& address, std::int64_t bytes);
  /// Ends the writing to a posting; `success`: all has arrived.
  void end(Posting& posting, bool success);
  /// Ends the filling of a parcel. Returns whether a posting is now done.
  bool end(Parcel& parcel, bool success);

  /// What became of a posting.
  struct Posted {
    bool mismatch = false;
    std::int64_t sent = 0;  ///< bytes of the message, for a mismatch
  };
  Posted post(Posting& posting);
  /// Returns the posting to idle. Returns false if a thread still writes to it: then nothing has changed.
  bool cancel(Posting& posting);

 private:
  void append(Posting& posting);
  void remove(Posting& posting);
  Parcel& new_parcel(const Address& address, std::int64_t bytes);
  void copy(Parcel& parcel, Posting& posting);
  void recycle(Parcel& parcel);

  std::mutex mutex_;
  Posting* first_ = nullptr;
  Posting* last_ = nullptr;
  std::list<Parcel> parcels_;  ///< in the order of arrival
  std::list<Parcel> unused_;   ///< kept with their memory, so that steady arrivals do not allocate
};

}  // namespace ddlbench::comm::gloo
