#include "bench/launcher/job_processes.h"

#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fmt/core.h>
#include <array>

#include "platform/host_name.h"
#include "platform/process_tree.h"

namespace ddlbench::bench {

JobProcesses::JobProcesses(const Child& first) : first_(first), watched_(::epoll_create1(EPOLL_CLOEXEC)) {}

void JobProcesses::add_rank(int rank, std::int64_t process, const std::string& host) {
  if (host != platform::host_name()) {
    elsewhere_ = true;
    return;
  }
  for (const platform::Process& one : first_.processes()) {
    if (one.id == process) {
      ranks_[one.id] = rank;
      if (one.id != first_.id() && one.parent != first_.id()) guards_[one.parent] = rank;
    }
    if (!names_.emplace(one.id, one.name).second) continue;
    // If the system does not support this, it is unknown who ended first.
    Descriptor end(static_cast<int>(::syscall(SYS_pidfd_open, one.id, 0)));
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = static_cast<std::uint64_t>(one.id);
    if (end.value() < 0 || ::epoll_ctl(watched_.value(), EPOLL_CTL_ADD, end.value(), &event) != 0) continue;
    ends_.emplace(one.id, std::move(end));
  }
}

void JobProcesses::look() {
  std::array<epoll_event, 64> events;
  for (int count = 0; (count = ::epoll_wait(watched_.value(), events.data(), events.size(), 0)) > 0;) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
      const auto process = static_cast<pid_t>(events[i].data.u64);
      ended_.push_back(process);
      ends_.erase(process);  // closing it also removes it from the epoll set
    }
  }
}

std::optional<pid_t> JobProcesses::first_ended() const {
  if (elsewhere_ || ended_.empty() || ended_.front() == first_.id()) return std::nullopt;
  return ended_.front();
}

std::string JobProcesses::describe(pid_t process) const {
  const std::string number = fmt::format("process {}", process);
  const auto told = [&](const std::map<pid_t, int>& ranks, const std::string& what) {
    const auto rank = ranks.find(process);
    return rank == ranks.end() ? "" : fmt::format("{}{} ({})", what, rank->second, number);
  };
  if (ranks_.size() == 1 && ranks_.contains(process)) return number;
  if (const std::string rank = told(ranks_, "rank "); !rank.empty()) return rank;
  if (const std::string guard = told(guards_, "the guard of rank "); !guard.empty()) return guard;
  const auto name = names_.find(process);
  return name == names_.end() ? number : fmt::format("{} ({})", number, name->second);
}

std::optional<pid_t> JobProcesses::stopped() const {
  for (const platform::Process& process : first_.processes()) {
    if (process.stopped()) return process.id;
  }
  return std::nullopt;
}

}  // namespace ddlbench::bench
