#pragma once

#include <mpi.h>

#include <map>
#include <memory>

#include "comm/mpi/control.h"
#include "comm/mpi/keep_alive_thread.h"

namespace ddlbench::comm::mpi {

/// MPI in this process. The first use initialises it; it is finalised when the process exits.
class Session {
 public:
  static Session& instance();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Control& control() { return *control_; }
  std::uint64_t next_launch() { return ++launches_; }
  int largest_tag() const { return largest_tag_; }

  /// Returns a communicator of the first `ranks` processes, which must all be in this launch. It is kept for later
  /// launches with as many ranks.
  MPI_Comm first(int ranks);
  /// Discards the communicator after a failure, because unreceived messages may remain in it. The next launch creates
  /// another one.
  void abandon(int ranks) { groups_.erase(ranks); }

  /// Calls Control::await. If a rank is lost, gives up the session.
  void await(ControlMessage::Type type, std::uint64_t launch, int ranks, const Timeouts& timeout);
  /// Records that a rank was lost (`lost` if it is known), so MPI cannot be finalised.
  void give_up(int lost = -1);

 private:
  Session();
  void leave();
  void abort();

  std::unique_ptr<Control> control_;
  std::unique_ptr<KeepAliveThread> keep_alive_thread_;
  std::map<int, MPI_Comm> groups_;
  std::uint64_t launches_ = 0;
  int largest_tag_ = 0;
  std::chrono::milliseconds answer_timeout_{60000};  ///< of the latest wait
  bool given_up_ = false;
  int lost_ = -1;
};

/// Creates a communicator of some members of `parent`, in their order. Called by these members only; all of them must
/// already be there, because it waits by busy polling. `tag` distinguishes concurrent calls.
MPI_Comm make_group(MPI_Comm parent, const std::vector<int>& members, int tag);

}  // namespace ddlbench::comm::mpi
