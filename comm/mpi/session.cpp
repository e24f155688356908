#include "comm/mpi/session.h"

#include <stdlib.h>

#include <fmt/core.h>
#include <cstdio>
#include <iostream>
#include <limits>
#include <numeric>
#include <thread>

#include "comm/mpi/check.h"

namespace ddlbench::comm::mpi {

namespace {

/// Time for rank 0 to report a failure before another rank ends the job.
constexpr std::chrono::seconds time_to_report{3};

/// Time for the launcher to forward the output of this process before the job ends.
constexpr std::chrono::milliseconds output_delay{200};

constexpr std::chrono::seconds time_to_finalise{10};

int exit_status = 0;

/// MPICH before 4.2 finalises with a barrier outside of MPI and does not acknowledge received messages during it. Over
/// TCP, a process that waits for an acknowledgement then waits forever (pmodels/mpich, pull request 6596). By now, all
/// messages have arrived, so the process exits with its own status.
void exit_anyway() {
  std::this_thread::sleep_for(time_to_finalise);
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(exit_status);
}

}  // namespace

Session& Session::instance() {
  static Session session;
  static const int noted = ::on_exit([](int status, void*) { exit_status = status; }, nullptr);
  static_cast<void>(noted);
  return session;
}

Session::Session() {
  int provided = 0;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
  if (provided != MPI_THREAD_MULTIPLE) {
    throw CommunicationError(CommunicationError::Kind::aborted, -1, "MPI_Init_thread",
                             "this MPI library allows calls from only one thread at a time, but progress during "
                             "computation needs MPI_THREAD_MULTIPLE; use a library that provides it");
  }
  // Errors that belong to no communicator are reported through these two.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  const int* largest = nullptr;
  int found = 0;
  check(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &found), "MPI_Comm_get_attr");
  largest_tag_ = found != 0 ? *largest : 32767;  // guaranteed by the standard
  MPI_Comm notes = MPI_COMM_NULL;
  check(MPI_Comm_dup(MPI_COMM_WORLD, &notes), "MPI_Comm_dup");
  control_ = std::make_unique<Control>(notes);
  keep_alive_thread_ = std::make_unique<KeepAliveThread>(*control_);
}

Session::~Session() {
  if (given_up_) abort();
  try {
    leave();
  } catch (const CommunicationError& error) {
    std::cerr << "ddlbench: at the end of rank " << control_->rank() << ": " << error.what() << std::endl;
    abort();
  }
  keep_alive_thread_.reset();
  // A failed launch leaves messages that are never received. MPICH finalises anyway (UCX warns about them); a process
  // that does not finalise would look like a crash to the launcher.
  control_.reset();
  std::thread(exit_anyway).detach();
  MPI_Finalize();
}

void Session::abort() {
  const bool reported = control_->rank() == 0 || lost_ == 0;
  std::this_thread::sleep_for(reported ? output_delay : time_to_report);
  MPI_Abort(MPI_COMM_WORLD, exit_status == 0 ? 1 : exit_status);
}

void Session::await(ControlMessage::Type type, std::uint64_t launch, int ranks, const Timeouts& timeout) {
  answer_timeout_ = timeout.answer_timeout;
  try {
    control_->await(type, launch, ranks, timeout);
  } catch (const CommunicationError& error) {
    give_up(error.rank());
    throw;
  }
}

void Session::give_up(int lost) {
  given_up_ = true;
  if (lost >= 0) lost_ = lost;
}

void Session::leave() {
  constexpr auto last = std::numeric_limits<std::uint64_t>::max();
  ControlMessage note;
  note.type = ControlMessage::Type::leaving;
  note.launch = last;
  control_->send_to_others(control_->size(), note);
  await(ControlMessage::Type::leaving, last, control_->size(), {answer_timeout_});
  // No process may finalise before all its messages have arrived, so all do it together.
  MPI_Request together = MPI_REQUEST_NULL;
  check(MPI_Ibarrier(MPI_COMM_WORLD, &together), "MPI_Ibarrier");
  const Clock::time_point deadline = Clock::now() + time_to_finalise;
  for (int done = 0; done == 0; std::this_thread::yield()) {
    check(MPI_Test(&together, &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (Clock::now() < deadline) continue;
    throw CommunicationError(CommunicationError::Kind::timed_out, -1, "",
                             fmt::format("another rank did not end within {} s", time_to_finalise.count()));
  }
}

MPI_Comm Session::first(int ranks) {
  const auto known = groups_.find(ranks);
  if (known != groups_.end()) return known->second;
  std::vector<int> members(static_cast<std::size_t>(ranks));
  std::iota(members.begin(), members.end(), 0);
  const MPI_Comm made = make_group(MPI_COMM_WORLD, members, static_cast<int>(launches_ % 32768));
  groups_[ranks] = made;
  return made;
}

MPI_Comm make_group(MPI_Comm parent, const std::vector<int>& members, int tag) {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Group wanted = MPI_GROUP_NULL;
  check(MPI_Comm_group(parent, &all), "MPI_Comm_group");
  check(MPI_Group_incl(all, static_cast<int>(members.size()), members.data(), &wanted), "MPI_Group_incl");
  MPI_Comm made = MPI_COMM_NULL;
  check(MPI_Comm_create_group(parent, wanted, tag, &made), "MPI_Comm_create_group");
  MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  MPI_Group_free(&wanted);
  MPI_Group_free(&all);
  return made;
}

}  // namespace ddlbench::comm::mpi
