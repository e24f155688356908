#include "comm/mpi/world.h"

#include <fmt/core.h>
#include <algorithm>
#include <numeric>
#include <thread>

#include "comm/answers.h"
#include "comm/point_to_point.h"

namespace ddlbench::comm::mpi {

namespace {

/// A short message may be delivered, and its operation destroyed, before the receiver finds it too long.
constexpr std::size_t kept_send_records = 256;

/// Returns whether there is a core for each rank. One process can only assume that all ranks are on this machine.
bool cores_for(int ranks) {
  return static_cast<unsigned>(ranks) <= std::thread::hardware_concurrency();
}

}  // namespace

World::World(Session& session, int ranks, const WorldOptions& options,
             std::optional<std::chrono::milliseconds> arrival_timeout)
    : session_(session),
      ranks_(ranks),
      launch_(session.next_launch()),
      failure_([this] {
        progress_.notify();
        if (!failure_known_.load()) report_failure();
      }),
      progress_(cores_for(ranks), Progress::EventSource::polled),
      link_(options.throttle, session.control().rank(), progress_),
      context_(session.control().rank(), options, progress_, failure_, sent_, turns_, link_) {
  Control& control = session_.control();
  ControlMessage note;
  note.type = ControlMessage::Type::arrived;
  note.launch = launch_;
  control.send_to_others(ranks_, note);
  session_.await(ControlMessage::Type::arrived, launch_, ranks_, {options.timeout, arrival_timeout});
  world_group_ = std::make_shared<Group>();
  world_group_->members.resize(static_cast<std::size_t>(ranks));
  std::iota(world_group_->members.begin(), world_group_->members.end(), 0);
  world_group_->rank = context_.world_rank;
  world_group_->communicator = session_.first(ranks_);
  add(world_group_);
  control.listen(launch_, *this);
  progress_.reserve_slot();
  progress_.add(control);
}

World::~World() {
  progress_.remove(session_.control());
  session_.control().ignore();
  progress_.release_slot();
  const bool clean = !failure_.raised();
  if (!clean) session_.abandon(ranks_);
  for (auto& [id, group] : groups_) {
    if (clean && group != world_group_) MPI_Comm_free(&group->communicator);
  }
}

void World::end() {
  // Only when all bodies have ended can no rank fail any more. After that, all ranks must agree whether the launch
  // failed, because the next launch may reuse its communicator only if it did not.
  if (synchronize_at_end(ControlMessage::Type::ended)) {
    if (failure_.raised()) report_failure();
    if (!synchronize_at_end(ControlMessage::Type::closed)) session_.give_up();
  } else {
    session_.give_up();
  }
  failure_.rethrow();
}

bool World::synchronize_at_end(ControlMessage::Type type) {
  Control& control = session_.control();
  ControlMessage note;
  note.type = type;
  note.launch = launch_;
  control.send_to_others(ranks_, note);
  // A rank that waits in a communication knows better which rank is to blame, so it must time out first.
  const Clock::time_point last = Clock::now() + context_.timeout + 2 * ping_timeout();
  std::optional<Clock::time_point> failed_at;
  for (int absent = 0; (absent = control.first_absent(type, launch_, ranks_)) >= 0;) {
    const Clock::time_point now = Clock::now();
    if (failure_.raised() && !failed_at) failed_at = now;
    if (failed_at && now >= *failed_at + 2 * ping_timeout() + std::chrono::seconds(1)) return false;
    if (!failed_at && now >= last) {
      const int mute =
          first_unanswered(control.ping_all(ranks_, 0, ping_timeout(), [this] { return failure_.raised(); }),
                           context_.world_rank, absent);
      const int blamed = mute < 0 ? absent : mute;
      failure_.raise(CommunicationError::Kind::timed_out, blamed, "end",
                     fmt::format("rank {} did not end within {} ms after rank {}", blamed, context_.timeout.count(),
                                 context_.world_rank));
    }
    control.advance_once();
    std::this_thread::sleep_for(control_poll_interval);
  }
  return true;
}

void World::add(const GroupPtr& group) {
  const std::lock_guard lock(registers_mutex_);
  groups_[group->id] = group;
}

void World::add(const SendRecord& record) {
  const std::lock_guard lock(registers_mutex_);
  send_records_.push_back(&record);
}

void World::record_tag(SendRecord& record, int tag) {
  const std::lock_guard lock(registers_mutex_);
  record.tag = tag;
}

void World::remove(const SendRecord& record) {
  const std::lock_guard lock(registers_mutex_);
  send_records_.erase(std::find(send_records_.begin(), send_records_.end(), &record));
  past_send_records_.push_back(record);
  if (past_send_records_.size() > kept_send_records) past_send_records_.pop_front();
}

std::chrono::milliseconds World::ping_timeout() const {
  return std::clamp(context_.timeout / 8, std::chrono::milliseconds(300), std::chrono::milliseconds(1000));
}

void World::report_failure() {
  ControlMessage note;
  note.type = ControlMessage::Type::failed;
  note.launch = launch_;
  try {
    failure_.rethrow();
  } catch (const CommunicationError& error) {
    note.kind = static_cast<std::int32_t>(error.kind());
    note.rank = error.rank();
    note.operation.assign(error.operation());
    note.what.assign(failure_.what());
  }
  session_.control().send_to_others(ranks_, note);
}

void World::failed(const ControlMessage& note) {
  failure_known_.store(true);
  failure_.raise(static_cast<CommunicationError::Kind>(note.kind), note.rank, note.operation.text(), note.what.text());
}

void World::report_too_long(const Group& group, int from, int tag, std::int64_t bytes) {
  ControlMessage note;
  note.type = ControlMessage::Type::too_long;
  note.launch = launch_;
  note.group = group.id;
  note.tag = tag;
  note.bytes = bytes;
  session_.control().send(group.members[static_cast<std::size_t>(from)], note);
}

void World::too_long(int from, const ControlMessage& note) {
  std::string sent = "more";
  std::string label;
  {
    const std::lock_guard lock(registers_mutex_);
    const auto look = [&](const SendRecord& record) {
      if (record.group != note.group || record.to != from || record.tag != note.tag) return;
      if (record.bytes <= note.bytes) return;
      sent = std::to_string(record.bytes);
      label = record.label;
    };
    for (const SendRecord& record : past_send_records_) look(record);
    for (const SendRecord* record : send_records_) look(*record);
  }
  failure_.raise(
      CommunicationError::Kind::mismatch, context_.world_rank, label,
      fmt::format("rank {} sends {} bytes, rank {} expects {}", context_.world_rank, sent, from, note.bytes));
}

void World::broken(const CommunicationError& error) {
  failure_known_.store(true);  // the other ranks cannot be reached
  failure_.raise(error.kind(), error.rank(), error.operation(), error.what());
}

std::optional<std::uint64_t> World::started(std::uint64_t group) const {
  if (link_.stalled()) return std::nullopt;
  const std::lock_guard lock(registers_mutex_);
  const auto found = groups_.find(group);
  return found == groups_.end() ? 0 : found->second->started.load();
}

int World::blame(const Group& group, std::uint64_t sequence, int member) {
  const int suspect = group.members[static_cast<std::size_t>(member)];
  const auto answers =
      session_.control().ping_all(ranks_, group.id, ping_timeout(), [this] { return failure_.raised(); });
  if (failure_.raised()) return suspect;  // the first failure is thrown, so the result does not matter
  if (const int mute = first_unanswered(answers, context_.world_rank, suspect); mute >= 0) return mute;
  if (sequence == PointToPoint::exchanges) return suspect;
  return first_behind(answers, context_.world_rank, group.members, member, sequence);
}

}  // namespace ddlbench::comm::mpi
