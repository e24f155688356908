#include "comm/mpi/control.h"

#include <fmt/core.h>
#include <algorithm>
#include <thread>

#include "comm/mpi/check.h"

namespace ddlbench::comm::mpi {

namespace {

constexpr int control_tag = 1;
/// After this time, polling slows down: a long wait is usually for a case that this process has no part in, and must
/// not take processor time from it.
constexpr std::chrono::milliseconds fast_poll_time{100};
constexpr std::chrono::milliseconds slow_poll_interval{10};
constexpr std::chrono::milliseconds ping_interval{1000};

int message_bytes() {
  return static_cast<int>(sizeof(ControlMessage));
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
  pinged_at_.resize(processes);
  post_receive();
}

Control::~Control() {
  MPI_Cancel(&expected_);
  MPI_Wait(&expected_, MPI_STATUS_IGNORE);
}

void Control::post_receive() {
  check(MPI_Irecv(&incoming_, message_bytes(), MPI_BYTE, MPI_ANY_SOURCE, control_tag, communicator_, &expected_),
        "MPI_Irecv");
}

void Control::send(int to, const ControlMessage& note) {
  const std::lock_guard lock(outgoing_mutex_);
  Outgoing& outgoing = outgoing_.emplace_back(Outgoing{note, MPI_REQUEST_NULL});
  check(MPI_Isend(&outgoing.note, message_bytes(), MPI_BYTE, to, control_tag, communicator_, &outgoing.request),
        "MPI_Isend");
}

void Control::send_to_others(int ranks, const ControlMessage& note) {
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
    const ControlMessage note = incoming_;
    post_receive();
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

void Control::take(int from, const ControlMessage& note) {
  const auto index = static_cast<std::size_t>(from);
  pinged_at_[index].reset();
  const bool mine = listener_ != nullptr && note.launch == launch_;
  switch (note.type) {
    case ControlMessage::Type::arrived:
    case ControlMessage::Type::ended:
    case ControlMessage::Type::closed:
    case ControlMessage::Type::leaving:
      last_launches(note.type)[index] = note.launch;
      return;
    case ControlMessage::Type::ping: {
      ControlMessage answer = note;
      answer.type = ControlMessage::Type::pong;
      const std::optional<std::uint64_t> started = mine ? listener_->started(note.group) : 0;
      if (!started) return;
      answer.started = *started;
      return send(from, answer);
    }
    case ControlMessage::Type::pong:
      if (note.number == ping_number_) answers_[index] = note.started;
      return;
    case ControlMessage::Type::failed:
      if (mine) {
        listener_->failed(note);
      } else if (note.launch > launch_) {
        early_failure_ = note;
      }
      return;
    case ControlMessage::Type::too_long:
      if (mine) listener_->too_long(from, note);
      return;
  }
}

std::vector<std::uint64_t>& Control::last_launches(ControlMessage::Type type) {
  if (type == ControlMessage::Type::arrived) return arrived_;
  if (type == ControlMessage::Type::ended) return ended_;
  return type == ControlMessage::Type::closed ? closed_ : leaving_;
}

int Control::first_absent(ControlMessage::Type type, std::uint64_t launch, int ranks) {
  const std::lock_guard lock(mutex());
  const std::vector<std::uint64_t>& last = last_launches(type);
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank != rank_ && last[static_cast<std::size_t>(rank)] < launch) return rank;
  }
  return -1;
}

void Control::record_ping(int to) {
  std::optional<Clock::time_point>& since = pinged_at_[static_cast<std::size_t>(to)];
  if (!since) since = Clock::now();
}

int Control::first_unresponsive(ControlMessage::Type type, std::uint64_t launch, int ranks,
                                std::chrono::milliseconds answer_timeout) {
  ControlMessage ping;
  ping.type = ControlMessage::Type::ping;
  const std::lock_guard lock(mutex());
  const std::vector<std::uint64_t>& last = last_launches(type);
  for (int rank = 0; rank < ranks; ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    if (rank == rank_ || last[index] >= launch) continue;
    if (pinged_at_[index] && Clock::now() - *pinged_at_[index] >= answer_timeout) return rank;
    record_ping(rank);
    send(rank, ping);
  }
  return -1;
}

void Control::forget_pings() {
  const std::lock_guard lock(mutex());
  std::fill(pinged_at_.begin(), pinged_at_.end(), std::nullopt);
}

void Control::await(ControlMessage::Type type, std::uint64_t launch, int ranks, const Timeouts& timeout) {
  using Kind = CommunicationError::Kind;
  const Clock::time_point begin = Clock::now();
  Clock::time_point next_ping = begin + ping_interval, last_turn = begin;
  for (int absent = 0; (absent = first_absent(type, launch, ranks)) >= 0;) {
    advance_once();
    const Clock::time_point now = Clock::now();
    // If this process itself was stopped, it has not polled for answers.
    if (now - last_turn >= ping_interval) forget_pings();
    last_turn = now;
    if (now >= next_ping) {
      next_ping = now + ping_interval;
      if (const int mute = first_unresponsive(type, launch, ranks, timeout.answer_timeout); mute >= 0) {
        throw CommunicationError(
            Kind::lost_rank, mute, "",
            fmt::format("rank {} has not responded for {} ms: it was stopped, or its machine failed", mute,
                        timeout.answer_timeout.count()));
      }
    }
    if (timeout.arrival_timeout && now >= begin + *timeout.arrival_timeout) {
      throw CommunicationError(
          Kind::timed_out, absent, "",
          fmt::format("rank {} did not connect within {} ms", absent, timeout.arrival_timeout->count()));
    }
    std::this_thread::sleep_for(now < begin + fast_poll_time ? control_poll_interval : slow_poll_interval);
  }
}

std::vector<std::optional<std::uint64_t>> Control::ping_all(int ranks, std::uint64_t group, Clock::duration timeout,
                                                            const std::function<bool()>& stop) {
  ControlMessage ping;
  ping.type = ControlMessage::Type::ping;
  ping.group = group;
  {
    const std::lock_guard lock(mutex());
    ping.launch = launch_;
    ping.number = ++ping_number_;
    answers_.assign(answers_.size(), std::nullopt);
    for (int rank = 0; rank < ranks; ++rank) record_ping(rank);
  }
  send_to_others(ranks, ping);
  const Clock::time_point last = Clock::now() + timeout;
  while (true) {
    const bool late = Clock::now() >= last;
    {
      const std::lock_guard lock(mutex());
      advance();
      bool all = true;
      for (int rank = 0; rank < ranks; ++rank) all &= rank == rank_ || answers_[static_cast<std::size_t>(rank)];
      if (all || late || stop()) return {answers_.begin(), answers_.begin() + ranks};
    }
    std::this_thread::sleep_for(control_poll_interval);
  }
}

}  // namespace ddlbench::comm::mpi
