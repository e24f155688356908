#pragma once

#include <mpi.h>

#include <map>
#include <memory>

#include "comm/mpi/attendant.h"
#include "comm/mpi/control.h"

namespace ddlbench::comm::mpi {

/// MPI in this process: initialised by the first use, ended with the process.
class Session {
 public:
  static Session& instance();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Control& control() { return *control_; }
  std::uint64_t next_launch() { return ++launches_; }
  int largest_tag() const { return largest_tag_; }

  /// The first `ranks` processes, which all have come here. Kept for the next launch of as many.
  MPI_Comm first(int ranks);
  /// After a failure messages may lie about in it that nobody fetches: the next launch gets another one.
  void abandon(int ranks) { groups_.erase(ranks); }

  /// Control::await. Where a rank is lost, the session is given up.
  void await(Note::Type type, std::uint64_t launch, int ranks, const Patience& patience);
  /// Some rank was lost, this one if it is known: MPI cannot be finalised.
  void give_up(int lost = -1);

 private:
  Session();
  void leave();
  void abort();

  std::unique_ptr<Control> control_;
  std::unique_ptr<Attendant> attendant_;
  std::map<int, MPI_Comm> groups_;
  std::uint64_t launches_ = 0;
  int largest_tag_ = 0;
  std::chrono::milliseconds silence_{60000};  ///< of the last wait
  bool given_up_ = false;
  int lost_ = -1;
};

/// The members of `parent`, in their order, as a communicator. Called by them alone, and without polite
/// waits: all must be there. `tag` tells calls at the same time apart.
MPI_Comm make_group(MPI_Comm parent, const std::vector<int>& members, int tag);

}  // namespace ddlbench::comm::mpi
