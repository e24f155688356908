#include "comm/gloo/session.h"

#include <gloo/rendezvous/context.h>
#include <gloo/transport/tcp/device.h>

#include <fmt/core.h>
#include <algorithm>
#include <system_error>

#include "comm/gloo/without_sigpipe.h"

namespace ddlbench::comm::gloo {

namespace {

/// All processes are on this machine.
constexpr const char* interface = "127.0.0.1";
constexpr std::chrono::milliseconds ping_interval{1000};
constexpr std::chrono::milliseconds brief{5};
constexpr std::chrono::seconds time_to_leave{10};
constexpr std::chrono::seconds time_to_report{1};  ///< for what the other processes must know of a failure

CommunicationError no_thread(ProcessPlace place, const std::system_error& error) {
  return {CommunicationError::Kind::aborted, place.rank, "",
          fmt::format("rank {} cannot start the threads of its {} connections: {}; use fewer ranks, or allow more "
                      "processes (ulimit -u)",
                      place.rank, place.size - 1, error.what())};
}

std::shared_ptr<::gloo::Context> connect(ProcessPlace place, ::gloo::rendezvous::Store& store,
                                         std::chrono::milliseconds timeout) {
  const WithoutSigpipe scope;
  try {
    auto device = ::gloo::transport::tcp::CreateDevice(::gloo::transport::tcp::attr(interface));
    auto context = std::make_shared<::gloo::rendezvous::Context>(place.rank, place.size);
    context->setTimeout(timeout);
    context->connectFullMesh(store, device);
    return context;
  } catch (const std::system_error& error) {  // gloo's own errors are of other types
    throw no_thread(place, error);
  } catch (const std::exception& error) {
    throw CommunicationError(CommunicationError::Kind::timed_out, -1, "",
                             fmt::format("rank {} could not connect to the {} others over TCP within {} ms: {}",
                                         place.rank, place.size - 1, timeout.count(), error.what()));
  }
}

}  // namespace

Session::Session(ProcessPlace place, ::gloo::rendezvous::Store& store, std::chrono::milliseconds timeout)
    : place_(place), context_(connect(place, store, timeout)), pings_(place.size) {
  const WithoutSigpipe scope;
  const auto processes = static_cast<std::size_t>(place.size);
  for (const Frame::Type type : {Frame::Type::arrived, Frame::Type::ended, Frame::Type::leaving}) {
    last_launches_[type].resize(processes);
  }
  lost_.resize(processes);
  answers_.resize(processes);
  connections_.resize(processes);
  Connection::Owner& self = *this;
  for (int peer = 0; peer < place.size; ++peer) {
    if (peer == place.rank) continue;
    connections_[static_cast<std::size_t>(peer)] = std::make_unique<Connection>(context_, peer, mailbox_, self);
  }
  try {
    for (const std::unique_ptr<Connection>& one : connections_) {
      if (one) one->start();
    }
  } catch (const std::system_error& error) {
    throw no_thread(place, error);
  }
}

Session::~Session() {
  Frame leaving;
  leaving.type = Frame::Type::leaving;
  leaving.launch = 1;
  send_to_others(size(), leaving);
  const Clock::time_point begin = Clock::now();
  const auto flushed = [](const std::unique_ptr<Connection>& one) { return !one || one->flushed(); };
  const auto must_wait = [&] {
    if (!std::all_of(connections_.begin(), connections_.end(), flushed)) return true;
    return !abandoned() && first_absent(Frame::Type::leaving, 1, size()) >= 0;
  };
  while (must_wait() && Clock::now() < begin + (abandoned() ? time_to_report : time_to_leave)) wait_briefly();
  connections_.clear();
}

void Session::send_to_others(int ranks, const Frame& frame, const std::string& text) {
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer != rank()) connection(peer).send(frame, text);
  }
}

void Session::listen(std::uint64_t launch, Listener& listener) {
  const std::lock_guard lock(listener_mutex_);
  listener_ = &listener;
  listens_to_ = launch;
  if (early_failure_ && early_failure_->launch == launch) listener.failed(early_failure_->error, early_failure_->what);
  early_failure_.reset();
  for (int peer = 0; peer < size(); ++peer) {
    if (const std::string why = why_lost(peer); !why.empty()) listener.lost(peer, why);
  }
}

void Session::ignore() {
  const std::lock_guard lock(listener_mutex_);
  listener_ = nullptr;
}

void Session::with_listener(std::uint64_t launch, const std::function<void(Listener&)>& call) {
  const std::lock_guard lock(listener_mutex_);
  if (listener_ != nullptr && launch == listens_to_) call(*listener_);
}

void Session::advanced() {
  const std::lock_guard lock(listener_mutex_);
  if (listener_ != nullptr) listener_->advanced();
}

void Session::mismatch(const Address& address, std::int64_t sent, std::int64_t expected) {
  with_listener(address.launch, [&](Listener& listener) { listener.mismatch(address, sent, expected); });
}

void Session::lost(int peer, const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    const auto index = static_cast<std::size_t>(peer);
    if (last_launches_.at(Frame::Type::leaving)[index] > 0) return;
    if (!lost_[index]) lost_[index] = why;
  }
  abandon();
  changed_.notify_all();
  const std::lock_guard lock(listener_mutex_);
  if (listener_ != nullptr) listener_->lost(peer, why);
}

void Session::take(int from, const Frame& frame, const std::string& text) {
  {
    const std::lock_guard lock(mutex_);
    const auto index = static_cast<std::size_t>(from);
    pings_.heard(from);
    if (const auto last = last_launches_.find(frame.type); last != last_launches_.end()) {
      last->second[index] = frame.launch;
    }
    if (frame.type == Frame::Type::pong && frame.sequence == ping_number_) answers_[index] = frame.started;
  }
  changed_.notify_all();
  if (frame.type == Frame::Type::ping) {
    Frame answer = frame;
    answer.type = Frame::Type::pong;
    std::optional<std::uint64_t> started = 0;
    with_listener(frame.launch, [&](Listener& listener) { started = listener.started(frame.group); });
    if (!started) return;
    answer.started = *started;
    connection(from).send(answer);
  }
  if (frame.type == Frame::Type::failed) {
    const std::string what = text.substr(static_cast<std::size_t>(frame.operation_bytes));
    const CommunicationError error(static_cast<CommunicationError::Kind>(frame.kind), frame.rank,
                                   text.substr(0, static_cast<std::size_t>(frame.operation_bytes)), what);
    const std::lock_guard lock(listener_mutex_);
    if (listener_ != nullptr && frame.launch == listens_to_) {
      listener_->failed(error, what);
    } else if (frame.launch > listens_to_ && !early_failure_) {
      early_failure_.emplace(Failed{frame.launch, error, what});
    }
  }
}

int Session::first_absent(Frame::Type type, std::uint64_t launch, int ranks) {
  const std::lock_guard lock(mutex_);
  const std::vector<std::uint64_t>& last = last_launches_.at(type);
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer != rank() && last[static_cast<std::size_t>(peer)] < launch) return peer;
  }
  return -1;
}

int Session::first_lost(int ranks) {
  const std::lock_guard lock(mutex_);
  for (int peer = 0; peer < ranks; ++peer) {
    if (lost_[static_cast<std::size_t>(peer)]) return peer;
  }
  return -1;
}

std::string Session::why_lost(int peer) {
  const std::lock_guard lock(mutex_);
  return lost_[static_cast<std::size_t>(peer)].value_or("");
}

void Session::wait_briefly() {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, brief);
}

int Session::first_unresponsive(std::uint64_t launch, int ranks, bool due, std::chrono::milliseconds answer_timeout) {
  Frame ping;
  ping.type = Frame::Type::ping;
  const Clock::time_point now = Clock::now();
  const std::lock_guard lock(mutex_);
  const std::vector<std::uint64_t>& last = last_launches_.at(Frame::Type::arrived);
  for (int peer = 0; peer < ranks; ++peer) {
    if (peer == rank() || last[static_cast<std::size_t>(peer)] >= launch) continue;
    if (pings_.silence(peer, now) >= answer_timeout) return peer;
    if (!due) continue;
    pings_.pinged(peer, now);
    connection(peer).send(ping);
  }
  return -1;
}

void Session::await_arrival(std::uint64_t launch, int ranks, std::chrono::milliseconds answer_timeout) {
  using Kind = CommunicationError::Kind;
  Clock::time_point last_turn = Clock::now(), next_ping = last_turn + ping_interval;
  for (; first_absent(Frame::Type::arrived, launch, ranks) >= 0; wait_briefly()) {
    const Clock::time_point now = Clock::now();
    if (now - last_turn >= ping_interval) {  // this process itself was stopped
      const std::lock_guard lock(mutex_);
      pings_.forget();
    }
    last_turn = now;
    if (const int gone = first_lost(ranks); gone >= 0) {
      throw CommunicationError(Kind::lost_rank, gone, "", fmt::format("rank {} was lost: {}", gone, why_lost(gone)));
    }
    const bool due = now >= next_ping;
    if (due) next_ping = now + ping_interval;
    if (const int mute = first_unresponsive(launch, ranks, due, answer_timeout); mute >= 0) {
      abandon();
      throw CommunicationError(
          Kind::lost_rank, mute, "",
          fmt::format("rank {} has not responded for {} ms: it was stopped", mute, answer_timeout.count()));
    }
  }
}

Answers Session::ping_all(int ranks, std::uint64_t group, std::chrono::milliseconds timeout,
                          const std::function<bool()>& stop) {
  Frame ping;
  ping.type = Frame::Type::ping;
  ping.group = group;
  {
    const std::lock_guard lock(listener_mutex_);
    ping.launch = listens_to_;
  }
  {
    const std::lock_guard lock(mutex_);
    ping.sequence = ++ping_number_;
    std::fill(answers_.begin(), answers_.end(), std::nullopt);
  }
  send_to_others(ranks, ping);
  const Clock::time_point last = Clock::now() + timeout;
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      bool all = true;
      for (int peer = 0; peer < ranks; ++peer) all &= peer == rank() || answers_[static_cast<std::size_t>(peer)];
      if (all || Clock::now() >= last || stop()) return {answers_.begin(), answers_.begin() + ranks};
    }
    wait_briefly();
  }
}

}  // namespace ddlbench::comm::gloo
