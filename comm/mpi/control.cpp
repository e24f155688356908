#include "comm/mpi/control.h"

#include <algorithm>
#include <thread>

#include "comm/mpi/check.h"

namespace ddlbench::comm::mpi {

namespace {

constexpr int note_tag = 1;
constexpr std::chrono::microseconds between_looks{200};
/// After this time, polling slows down: a long wait is usually for a case that this process has no part in, and must
/// not take processor time from it.
constexpr std::chrono::milliseconds soon{100};
constexpr std::chrono::milliseconds between_late_looks{10};
constexpr std::chrono::milliseconds between_questions{1000};

int note_bytes() {
  return static_cast<int>(sizeof(Note));
}

}  // namespace

Control::Control(MPI_Comm communicator) : communicator_(communicator) {
  check(MPI_Comm_rank(communicator_, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(communicator_, &size_), "MPI_Comm_size");
  const auto processes = static_cast<std::size_t>(size_);
  arrived_.resize(processes);
  ended_.resize(processes);
  closed_.resize(processes);
  leaving_.resize(processes);
  answers_.resize(processes);
  questioned_.resize(processes);
  expect_note();
}

Control::~Control() {
  MPI_Cancel(&expected_);
  MPI_Wait(&expected_, MPI_STATUS_IGNORE);
}

void Control::expect_note() {
  check(MPI_Irecv(&incoming_, note_bytes(), MPI_BYTE, MPI_ANY_SOURCE, note_tag, communicator_, &expected_),
        "MPI_Irecv");
}

void Control::send(int to, const Note& note) {
  const std::lock_guard lock(outgoing_mutex_);
  Outgoing& outgoing = outgoing_.emplace_back(Outgoing{note, MPI_REQUEST_NULL});
  check(MPI_Isend(&outgoing.note, note_bytes(), MPI_BYTE, to, note_tag, communicator_, &outgoing.request), "MPI_Isend");
}

void Control::send_to_others(int ranks, const Note& note) {
  for (int to = 0; to < ranks; ++to) {
    if (to != rank_) send(to, note);
  }
}

void Control::listen(std::uint64_t launch, Listener& listener) {
  const std::lock_guard lock(mutex());
  launch_ = launch;
  listener_ = &listener;
  if (early_failure_ && early_failure_->launch == launch) listener.failed(*early_failure_);
  early_failure_.reset();
}

void Control::ignore() {
  const std::lock_guard lock(mutex());
  listener_ = nullptr;
}

void Control::reap() {
  const std::lock_guard lock(outgoing_mutex_);
  for (auto it = outgoing_.begin(); it != outgoing_.end();) {
    int done = 0;
    check(MPI_Test(&it->request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    it = done != 0 ? outgoing_.erase(it) : std::next(it);
  }
}

bool Control::advance() {
  try {
    return take_all();
  } catch (const CommunicationError& error) {
    if (listener_ == nullptr) throw;
    listener_->broken(error);
    return false;
  }
}

bool Control::take_all() {
  bool moved = false;
  while (true) {
    int arrived = 0;
    MPI_Status status;
    check(MPI_Test(&expected_, &arrived, &status), "MPI_Test");
    if (arrived == 0) break;
    const Note note = incoming_;
    expect_note();
    take(status.MPI_SOURCE, note);
    moved = true;
  }
  reap();
  return moved;
}

void Control::advance_once() {
  const std::lock_guard lock(mutex());
  advance();
}

void Control::advance_if_idle() {
  const std::lock_guard lock(mutex());
  if (listener_ == nullptr) advance();
}

void Control::take(int from, const Note& note) {
  const auto index = static_cast<std::size_t>(from);
  questioned_[index].reset();
  const bool mine = listener_ != nullptr && note.launch == launch_;
  switch (note.type) {
    case Note::Type::arrived:
    case Note::Type::ended:
    case Note::Type::closed:
    case Note::Type::leaving:
      last_launches(note.type)[index] = note.launch;
      return;
    case Note::Type::ping: {
      Note answer = note;
      answer.type = Note::Type::pong;
      answer.started = mine ? listener_->started(note.group) : 0;
      return send(from, answer);
    }
    case Note::Type::pong:
      if (note.number == question_) answers_[index] = note.started;
      return;
    case Note::Type::failed:
      if (mine) {
        listener_->failed(note);
      } else if (note.launch > launch_) {
        early_failure_ = note;
      }
      return;
    case Note::Type::too_long:
      if (mine) listener_->too_long(from, note);
      return;
  }
}

std::vector<std::uint64_t>& Control::last_launches(Note::Type type) {
  if (type == Note::Type::arrived) return arrived_;
  if (type == Note::Type::ended) return ended_;
  return type == Note::Type::closed ? closed_ : leaving_;
}

int Control::first_absent(Note::Type type, std::uint64_t launch, int ranks) {
  const std::lock_guard lock(mutex());
  const std::vector<std::uint64_t>& last = last_launches(type);
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank != rank_ && last[static_cast<std::size_t>(rank)] < launch) return rank;
  }
  return -1;
}

void Control::question(int to) {
  std::optional<Clock::time_point>& since = questioned_[static_cast<std::size_t>(to)];
  if (!since) since = Clock::now();
}

int Control::first_mute(Note::Type type, std::uint64_t launch, int ranks, std::chrono::milliseconds silence) {
  Note ping;
  ping.type = Note::Type::ping;
  const std::lock_guard lock(mutex());
  const std::vector<std::uint64_t>& last = last_launches(type);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    if (rank == rank_ || last[index] >= launch) continue;
    if (questioned_[index] && Clock::now() - *questioned_[index] >= silence) return rank;
    question(rank);
    send(rank, ping);
  }
  return -1;
}

void Control::forget_questions() {
  const std::lock_guard lock(mutex());
  std::fill(questioned_.begin(), questioned_.end(), std::nullopt);
}

void Control::await(Note::Type type, std::uint64_t launch, int ranks, const Patience& patience) {
  using Kind = CommunicationError::Kind;
  const Clock::time_point begin = Clock::now();
  Clock::time_point next_question = begin + between_questions, last_turn = begin;
  for (int absent = 0; (absent = first_absent(type, launch, ranks)) >= 0;) {
    advance_once();
    const Clock::time_point now = Clock::now();
    // If this process itself was stopped, it has not polled for answers.
    if (now - last_turn >= between_questions) forget_questions();
    last_turn = now;
    if (now >= next_question) {
      next_question = now + between_questions;
      if (const int mute = first_mute(type, launch, ranks, patience.silence); mute >= 0) {
        throw CommunicationError(Kind::lost_rank, mute, "",
                                 "rank " + std::to_string(mute) + " has not responded for " +
                                     std::to_string(patience.silence.count()) +
                                     " ms: it was stopped, or its machine failed");
      }
    }
    if (patience.time_to_come && now >= begin + *patience.time_to_come) {
      throw CommunicationError(Kind::timed_out, absent, "",
                               "rank " + std::to_string(absent) + " did not connect within " +
                                   std::to_string(patience.time_to_come->count()) + " ms");
    }
    std::this_thread::sleep_for(now < begin + soon ? between_looks : between_late_looks);
  }
}

std::vector<std::optional<std::uint64_t>> Control::ask(int ranks, std::uint64_t group, Clock::duration patience,
                                                       const std::function<bool()>& stop) {
  Note ping;
  ping.type = Note::Type::ping;
  ping.group = group;
  {
    const std::lock_guard lock(mutex());
    ping.launch = launch_;
    ping.number = ++question_;
    answers_.assign(answers_.size(), std::nullopt);
    for (int rank = 0; rank < ranks; ++rank) question(rank);
  }
  send_to_others(ranks, ping);
  const Clock::time_point last = Clock::now() + patience;
  while (true) {
    const bool late = Clock::now() >= last;
    {
      const std::lock_guard lock(mutex());
      advance();
      bool all = true;
      for (int rank = 0; rank < ranks; ++rank) all &= rank == rank_ || answers_[static_cast<std::size_t>(rank)];
      if (all || late || stop()) return {answers_.begin(), answers_.begin() + ranks};
    }
    std::this_thread::sleep_for(between_looks);
  }
}

}  // namespace ddlbench::comm::mpi
