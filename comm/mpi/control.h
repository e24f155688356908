#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "comm/mpi/control_message.h"
#include "comm/progress.h"

namespace ddlbench::comm::mpi {

inline constexpr std::chrono::microseconds control_poll_interval{200};

/// The handler of a launch for the control messages about it. Called by the thread that makes progress.
class Listener {
 public:
  virtual void failed(const ControlMessage& note) = 0;
  virtual void too_long(int from, const ControlMessage& note) = 0;
  virtual void broken(const CommunicationError& error) = 0;  ///< control messages can no longer be received
  /// Returns how many collectives this rank has started in a group; nothing if its link passes no answer.
  virtual std::optional<std::uint64_t> started(std::uint64_t group) const = 0;

 protected:
  ~Listener() = default;
};

/// How long to wait for other processes.
struct Timeouts {
  /// For a process that does not answer pings. One that answers may take as long as it likes, …
  std::chrono::milliseconds answer_timeout;
  /// … up to this limit, if there is one.
  std::optional<std::chrono::milliseconds> arrival_timeout = std::nullopt;
};

/// Sends and receives the control messages of one process during its whole lifetime. They have a communicator of their
/// own, so they are not blocked by other messages. Answers pings.
class Control final : public Advanceable {
 public:
  explicit Control(MPI_Comm communicator);
  /// Must run before MPI is finalised.
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// Sends a control message without waiting for the receiver. Callable from any thread.
  void send(int to, const ControlMessage& note);
  void send_to_others(int ranks, const ControlMessage& note);

  /// Passes messages about this launch to `listener` from now on. A failure that was reported earlier is passed at
  /// once.
  void listen(std::uint64_t launch, Listener& listener);
  void ignore();

  /// Handles the messages that have arrived. Called with the mutex held.
  bool advance() override;
  bool is_permanent() const override { return true; }
  void advance_once();  ///< locks the mutex
  /// Does the same if no launch listens; a launch that listens calls advance() itself.
  void advance_if_idle();

  /// Returns the first other process below `ranks` that has not yet sent a message of this type for this launch, or −1
  /// if all have.
  int first_absent(ControlMessage::Type type, std::uint64_t launch, int ranks);
  /// Waits, without busy polling, until all of the first `ranks` processes have sent a message of this type for this
  /// launch. Throws CommunicationError for one that does not: lost_rank if it does not answer pings either, timed_out
  /// if it answers but takes too long.
  void await(ControlMessage::Type type, std::uint64_t launch, int ranks, const Timeouts& timeout);

  /// Pings the first `ranks` processes and asks how many collectives of a group each has started. The result has no
  /// value for processes that did not answer within the timeout, or before `stop` returned true.
  std::vector<std::optional<std::uint64_t>> ping_all(int ranks, std::uint64_t group, Clock::duration timeout,
                                                     const std::function<bool()>& stop);

 private:
  struct Outgoing {
    ControlMessage note;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  bool take_all();
  void record_ping(int to);  ///< records the time of a ping
  /// Pings those of the first `ranks` processes that have not sent a message of this type for this launch. Returns the
  /// first one that has not answered for `answer_timeout`, or −1 if there is none.
  int first_unresponsive(ControlMessage::Type type, std::uint64_t launch, int ranks,
                         std::chrono::milliseconds answer_timeout);
  void forget_pings();  ///< for all processes
  std::vector<std::uint64_t>& last_launches(ControlMessage::Type type);
  void post_receive();
  void take(int from, const ControlMessage& note);
  void reap();

  MPI_Comm communicator_;
  int rank_ = 0;
  int size_ = 0;
  ControlMessage incoming_;
  MPI_Request expected_ = MPI_REQUEST_NULL;
  std::mutex outgoing_mutex_;
  std::list<Outgoing> outgoing_;

  // The members below are protected by the mutex.
  Listener* listener_ = nullptr;
  std::uint64_t launch_ = 0;
  std::vector<std::uint64_t> arrived_;  ///< by rank: the latest launch
  std::vector<std::uint64_t> ended_;
  std::vector<std::uint64_t> closed_;
  std::vector<std::uint64_t> leaving_;
  std::optional<ControlMessage> early_failure_;  ///< of a launch that this process has not reached yet
  std::uint64_t ping_number_ = 0;
  std::vector<std::optional<std::uint64_t>> answers_;
  std::vector<std::optional<Clock::time_point>> pinged_at_;  ///< by rank: first ping since its last message
};

}  // namespace ddlbench::comm::mpi
