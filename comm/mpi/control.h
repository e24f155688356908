#pragma once

#include <mpi.h>

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "comm/mpi/note.h"
#include "comm/progress.h"

namespace ddlbench::comm::mpi {

/// What a launch does with notes about it. Called by whoever makes progress.
class Listener {
 public:
  virtual void failed(const Note& note) = 0;
  virtual void too_long(int from, const Note& note) = 0;
  virtual void broken(const CommunicationError& error) = 0;  ///< notes cannot be taken any more
  /// Collectives that this rank has started in a group.
  virtual std::uint64_t started(std::uint64_t group) const = 0;

 protected:
  ~Listener() = default;
};

/// How long the others are waited for.
struct Patience {
  /// With a process that does not answer whether it is there; one that answers may take as long as it likes, …
  std::chrono::milliseconds silence;
  /// … but for this.
  std::optional<std::chrono::milliseconds> time_to_come = std::nullopt;
};

/// The notes of one process, for as long as it lives: over a communicator of their own, so that they pass
/// whatever else is stuck. Answers pings.
class Control final : public Advancing {
 public:
  explicit Control(MPI_Comm communicator);
  /// MPI must still run.
  ~Control();
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }

  /// From any thread; never waits for the other end.
  void send(int to, const Note& note);
  void send_to_others(int ranks, const Note& note);

  /// Notes of this launch go to the listener from now on; what came before is kept for it.
  void listen(std::uint64_t launch, Listener& listener);
  void ignore();

  /// Takes what has come. With the mutex held.
  bool advance() override;
  bool stands() const override { return true; }
  void advance_once();  ///< takes the mutex itself
  /// The same where no launch listens: then nobody else does it while this process computes or loads.
  void advance_if_idle();

  /// Whether all of the first `ranks` processes, or which is the first that did not yet.
  int first_absent(Note::Type type, std::uint64_t launch, int ranks);
  /// Waits, politely, until all of the first `ranks` processes did. Throws CommunicationError for one that does not:
  /// lost_rank where it does not answer either, timed_out where it does and takes too long.
  void await(Note::Type type, std::uint64_t launch, int ranks, const Patience& patience);

  /// Asks the first `ranks` processes about a group. Each one's collectives started there; nothing of who did
  /// not answer in time, or before `stop` said so.
  std::vector<std::optional<std::uint64_t>> ask(int ranks, std::uint64_t group, Clock::duration patience,
                                                const std::function<bool()>& stop);

 private:
  struct Outgoing {
    Note note;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  bool take_all();
  void question(int to);  ///< notes that it was asked
  /// Asks those of the first `ranks` that are absent whether they are there. The first that has left this unanswered
  /// for `silence`; −1 where none has.
  int first_mute(Note::Type type, std::uint64_t launch, int ranks, std::chrono::milliseconds silence);
  void forget_questions();  ///< to all
  std::vector<std::uint64_t>& last_launches(Note::Type type);
  void expect_note();
  void take(int from, const Note& note);
  void reap();

  MPI_Comm communicator_;
  int rank_ = 0;
  int size_ = 0;
  Note incoming_;
  MPI_Request expected_ = MPI_REQUEST_NULL;
  std::mutex outgoing_mutex_;
  std::list<Outgoing> outgoing_;

  // With the mutex held.
  Listener* listener_ = nullptr;
  std::uint64_t launch_ = 0;
  std::vector<std::uint64_t> arrived_;  ///< by rank: the last launch
  std::vector<std::uint64_t> ended_;
  std::vector<std::uint64_t> closed_;
  std::vector<std::uint64_t> leaving_;
  std::optional<Note> early_failure_;  ///< of a launch that this process has not come to
  std::uint64_t question_ = 0;
  std::vector<std::optional<std::uint64_t>> answers_;
  std::vector<std::optional<Clock::time_point>> questioned_;  ///< by rank: nothing has come from there since
};

}  // namespace ddlbench::comm::mpi
