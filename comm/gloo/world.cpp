#include "comm/gloo/world.h"

#include <fmt/core.h>
#include <algorithm>
#include <numeric>
#include <thread>

#include "comm/point_to_point.h"

namespace ddlbench::comm::gloo {

World::World(Session& session, int ranks, const WorldOptions& options)
    : session_(session),
      ranks_(ranks),
      launch_(session.next_launch()),
      failure_([this] {
        progress_.notify();
        if (!failure_known_.load()) report_failure();
      }),
      progress_(static_cast<unsigned>(ranks) <= std::thread::hardware_concurrency()),
      link_(options.throttle, session.rank(), progress_),
      context_(session.rank(), options, progress_, failure_, sent_, turns_, link_) {
  Frame arrived;
  arrived.type = Frame::Type::arrived;
  arrived.launch = launch_;
  session_.send_to_others(ranks_, arrived);
  session_.await_arrival(launch_, ranks_, options.timeout);
  world_group_ = std::make_shared<Group>();
  world_group_->members.resize(static_cast<std::size_t>(ranks));
  std::iota(world_group_->members.begin(), world_group_->members.end(), 0);
  world_group_->rank = session.rank();
  add(world_group_);
  session_.listen(launch_, *this);
}

World::~World() {
  session_.ignore();
  if (failure_.raised()) session_.abandon();
}

void World::end() {
  Frame ended;
  ended.type = Frame::Type::ended;
  ended.launch = launch_;
  session_.send_to_others(ranks_, ended);  // after the failure, if this rank has reported one
  // A rank that waits in a communication knows better which rank is to blame, so it must time out first.
  const Clock::time_point last = Clock::now() + context_.timeout + 2 * ping_timeout();
  std::optional<Clock::time_point> failed_at;
  for (int absent = 0; (absent = session_.first_absent(Frame::Type::ended, launch_, ranks_)) >= 0;) {
    const Clock::time_point now = Clock::now();
    if (failure_.raised() && !failed_at) failed_at = now;
    if (failed_at && now >= *failed_at + 2 * ping_timeout() + std::chrono::seconds(1)) break;
    if (!failed_at && now >= last) {
      const int mute = first_unanswered(ping_all(0), context_.world_rank, absent);
      const int blamed = mute < 0 ? absent : mute;
      failure_.raise(CommunicationError::Kind::timed_out, blamed, "end",
                     fmt::format("rank {} did not end within {} ms after rank {}", blamed, context_.timeout.count(),
                                 context_.world_rank));
    }
    session_.wait_briefly();
  }
  failure_.rethrow();
}

void World::add(const GroupPtr& group) {
  const std::lock_guard lock(groups_mutex_);
  groups_[group->id] = group;
}

void World::mismatch(int source, std::int64_t sent, std::int64_t expected, const std::string& label) {
  failure_.raise(
      CommunicationError::Kind::mismatch, source, label,
      fmt::format("rank {} sends {} bytes, rank {} expects {}", source, sent, context_.world_rank, expected));
}

void World::mismatch(const Address& address, std::int64_t sent, std::int64_t expected) {
  mismatch(address.source, sent, expected, "");
}

void World::failed(const CommunicationError& error, const std::string& what) {
  failure_known_.store(true);
  failure_.raise(error.kind(), error.rank(), error.operation(), what);
}

void World::lost(int rank, const std::string& why) {
  if (rank >= ranks_) return;
  failure_.raise(CommunicationError::Kind::lost_rank, rank, "", fmt::format("rank {} was lost: {}", rank, why));
}

std::optional<std::uint64_t> World::started(std::uint64_t group) {
  if (link_.stalled()) return std::nullopt;
  const std::lock_guard lock(groups_mutex_);
  const auto found = groups_.find(group);
  return found == groups_.end() ? 0 : found->second->started.load();
}

void World::report_failure() {
  Frame report;
  report.type = Frame::Type::failed;
  report.launch = launch_;
  std::string text;
  try {
    failure_.rethrow();
  } catch (const CommunicationError& error) {
    report.kind = static_cast<std::int32_t>(error.kind());
    report.rank = error.rank();
    const auto most = static_cast<std::size_t>(inline_bytes) / 2;
    const std::string operation = error.operation().substr(0, most);
    report.operation_bytes = static_cast<std::int32_t>(operation.size());
    text = operation + failure_.what().substr(0, most);
    report.bytes = static_cast<std::int64_t>(text.size());
  }
  session_.send_to_others(ranks_, report, text);
}

std::chrono::milliseconds World::ping_timeout() const {
  return std::clamp(context_.timeout / 8, std::chrono::milliseconds(300), std::chrono::milliseconds(1000));
}

Answers World::ping_all(std::uint64_t group) {
  return session_.ping_all(ranks_, group, ping_timeout(), [this] { return failure_.raised(); });
}

int World::blame(const Group& group, std::uint64_t sequence, int member) {
  const int suspect = group.members[static_cast<std::size_t>(member)];
  const Answers answers = ping_all(group.id);
  if (failure_.raised()) return suspect;  // the first failure is thrown, so the result does not matter
  if (const int mute = first_unanswered(answers, context_.world_rank, suspect); mute >= 0) return mute;
  if (sequence == PointToPoint::exchanges) return suspect;
  return first_behind(answers, context_.world_rank, group.members, member, sequence);
}

}  // namespace ddlbench::comm::gloo
