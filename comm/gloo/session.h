#pragma once

#include <gloo/rendezvous/store.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "comm/answers.h"
#include "comm/communicator.h"
#include "comm/gloo/connection.h"
#include "comm/process_place.h"

namespace ddlbench::comm::gloo {

/// The handler of a launch for what a session receives about it. Called by the session's threads.
class Listener {
 public:
  virtual void advanced() = 0;                                                        ///< a message has moved on
  virtual void failed(const CommunicationError& error, const std::string& what) = 0;  ///< as another rank reports it
  virtual void mismatch(const Address& address, std::int64_t sent, std::int64_t expected) = 0;
  virtual void lost(int rank, const std::string& why) = 0;
  /// Returns how many collectives this rank has started in a group; nothing if its link passes no answer.
  virtual std::optional<std::uint64_t> started(std::uint64_t group) = 0;

 protected:
  ~Listener() = default;
};

/// The connections of one process to all others of its job, over all launches. After a failure, they can no longer be
/// used: messages of the failed launch may be on their way.
class Session final : private Connection::Owner {
 public:
  /// Connects all processes of the job, which find each other through `store`. Throws CommunicationError if that takes
  /// longer than `timeout`, or if a thread cannot be started.
  Session(ProcessPlace place, ::gloo::rendezvous::Store& store, std::chrono::milliseconds timeout);
  /// Waits until all processes have ended their sessions, unless this one was abandoned.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  int rank() const { return place_.rank; }
  int size() const { return place_.size; }
  Mailbox& mailbox() { return mailbox_; }
  Connection& connection(int peer) { return *connections_.at(static_cast<std::size_t>(peer)); }
  const std::shared_ptr<::gloo::Context>& context() { return context_; }

  std::uint64_t next_launch() { return ++launches_; }
  void send_to_others(int ranks, const Frame& frame, const std::string& text = {});

  /// Passes what arrives for this launch to `listener` from now on. A failure that was reported earlier, and a lost
  /// process, are passed at once.
  void listen(std::uint64_t launch, Listener& listener);
  void ignore();
  /// Declares that the connections cannot be used any more.
  void abandon() { abandoned_.store(true); }
  bool abandoned() const { return abandoned_.load(); }

  /// Returns the first other process below `ranks` that has not yet sent a frame of this type for this launch, or −1 if
  /// all have.
  int first_absent(Frame::Type type, std::uint64_t launch, int ranks);
  /// Waits until all of the first `ranks` processes have entered this launch. Throws CommunicationError for one that
  /// has no connection any more, or has not answered pings for `answer_timeout`.
  void await_arrival(std::uint64_t launch, int ranks, std::chrono::milliseconds answer_timeout);
  /// Asks the first `ranks` processes how many collectives of a group each has started. Waits for the answers until the
  /// timeout, or until `stop` returns true.
  Answers ping_all(int ranks, std::uint64_t group, std::chrono::milliseconds timeout,
                   const std::function<bool()>& stop);
  /// Returns when a frame has arrived, or after a few milliseconds.
  void wait_briefly();

 private:
  void take(int from, const Frame& frame, const std::string& text) override;
  void advanced() override;
  void mismatch(const Address& address, std::int64_t sent, std::int64_t expected) override;
  void lost(int peer, const std::string& why) override;
  /// Pings those of the first `ranks` processes that have not entered this launch, if that is `due`. Returns the first
  /// of them that has not answered for `answer_timeout`, or −1.
  int first_unresponsive(std::uint64_t launch, int ranks, bool due, std::chrono::milliseconds answer_timeout);
  int first_lost(int ranks);       ///< the first process below `ranks` whose connection was lost, or −1
  std::string why_lost(int peer);  ///< empty if it was not
  void with_listener(std::uint64_t launch, const std::function<void(Listener&)>& call);

  const ProcessPlace place_;
  std::shared_ptr<::gloo::Context> context_;
  Mailbox mailbox_;
  std::uint64_t launches_ = 0;
  std::atomic<bool> abandoned_{false};

  std::mutex listener_mutex_;
  Listener* listener_ = nullptr;
  std::uint64_t listens_to_ = 0;
  struct Failed {
    std::uint64_t launch = 0;
    CommunicationError error;
    std::string what;
  };
  std::optional<Failed> early_failure_;  ///< of a launch that this process has not entered yet

  std::mutex mutex_;  ///< protects what follows
  std::condition_variable changed_;
  std::map<Frame::Type, std::vector<std::uint64_t>> last_launches_;  ///< by type and rank
  std::vector<std::optional<std::string>> lost_;                     ///< by rank: why
  UnansweredPings pings_;                                            ///< of await_arrival()
  std::uint64_t ping_number_ = 0;
  Answers answers_;

  std::vector<std::unique_ptr<Connection>> connections_;  ///< by rank; null for this process
};

}  // namespace ddlbench::comm::gloo
