#include "bench/launcher/ranks_executor.h"

#include <unistd.h>

#include <fmt/core.h>
#include <algorithm>
#include <exception>
#include <iostream>
#include <set>
#include <thread>

#include "base/error.h"
#include "base/stopwatch.h"
#include "bench/launcher/gpu_utilisation.h"
#include "bench/launcher/rank_guard.h"
#include "bench/launcher/share.h"
#include "bench/launcher/utilisation.h"
#include "comm/communicator.h"
#include "comm/mpi/mpi.h"
#include "comm/process_place.h"
#include "platform/host_name.h"

namespace ddlbench::bench {
namespace {

/// The timeout of ranks until the first case sets it. The other ranks wait for rank 0 for as long as it shows signs of
/// life, even if its data are large or its disk is slow.
constexpr std::chrono::seconds timeout_before_cases{60};
/// Only rank 0 arrives late; every other rank that can arrive does so at once.
constexpr std::chrono::seconds arrival_timeout{10};
/// Time for the previous rank to report the loss and to end the job.
constexpr std::chrono::seconds time_to_speak{1};
constexpr int most_turns = 3;
/// Additional time for a rank that was already silent for most of its timeout.
constexpr std::chrono::milliseconds extra_timeout{5000};

constexpr const char* dismissal = "exit ";
constexpr int infrastructure = 4;  ///< exit code

comm::ProcessPlace place() {
  return comm::process_place().value_or(comm::ProcessPlace{});
}

std::chrono::milliseconds timeout_of(const WorkerRequest& request) {
  return milliseconds_of(request.experiment.measure.timeout_seconds);
}

/// Synchronises after a case, so that no process begins the next one while another is still in this one. Throws
/// CommunicationError if a process is lost.
void synchronise(const WaitLimits& limits) {
  share_all(0, limits);
}

/// The hosts of the processes that a launcher started together.
struct Hosts {
  std::vector<std::string> of_ranks;  ///< by rank
  int cores = 0;                      ///< of all hosts
};

bool lost_a_rank(const Message& last) {
  const auto* failure = std::get_if<Failure>(&last);
  return failure != nullptr && (failure->status == Status::timed_out || failure->status == Status::lost_rank);
}

/// Forwards a case's progress to a listener and samples its utilisation from time to time.
class ForwardingProgress final : public Progress {
 public:
  ForwardingProgress(const WorkerRequest& request, const Listener& listener)
      : listener_(listener),
        sampler_(request.which.id, ::getpid(), gpus_of_case(request.experiment.devices, request.which.ranks)) {
    sample();
  }
  void alive(const std::string& phase, double fraction) override {
    report([&] {
      listener_.heard(Alive{phase, fraction});
      if (const auto sample = sampler_.sample_if_due()) listener_.sampled(*sample);
    });
  }
  void epoch(const EpochRecord& record) override {
    report([&] { listener_.heard(record); });
  }
  void validation(const ValidationRecord& record) override {
    report([&] { listener_.heard(record); });
  }
  void rank(const RankRecord& record) override {
    report([&] { listener_.heard(record); });
  }
  void end() { sample(); }
  /// Returns the listener's exception, if it threw one.
  std::exception_ptr failure() const { return failure_; }

 private:
  /// Ends the case if the listener fails, or has failed.
  void report(const auto& report) {
    if (failure_) std::rethrow_exception(failure_);
    try {
      report();
    } catch (...) {
      failure_ = std::current_exception();
      throw;
    }
  }
  /// Takes a sample before and after the case, while the other ranks wait for this one.
  void sample() noexcept {
    try {
      report([&] { listener_.sampled(sampler_.sample()); });
    } catch (...) {  // tell() has stored the exception
    }
  }

  std::exception_ptr failure_;
  const Listener& listener_;
  UtilisationSampler sampler_;
};

}  // namespace

bool in_ranks() {
  return place().size > 1;
}

/// Collective.
static Hosts gather_hosts() {
  Hosts hosts{share_all(platform::host_name(), {timeout_before_cases}), 0};
  const std::vector<int> cores =
      share_all(static_cast<int>(std::thread::hardware_concurrency()), {timeout_before_cases});
  std::set<std::string> counted;
  for (std::size_t rank = 0; rank < cores.size(); ++rank) {
    if (counted.insert(hosts.of_ranks[rank]).second) hosts.cores += cores[rank];
  }
  return hosts;
}

RanksExecutor::RanksExecutor(CaseRunner run) : run_(std::move(run)), timeout_(timeout_before_cases) {}

int RanksExecutor::look_at_hosts() {
  Hosts hosts = gather_hosts();
  hosts_ = std::move(hosts.of_ranks);
  return hosts.cores;
}

Outcome RanksExecutor::run(const WorkerRequest& request, const std::string&, const Listener& listener) {
  const int processes = place().size;
  if (request.which.ranks > processes) {
    return {Status::unsupported,
            fmt::format("{} ranks are needed, but the launcher started {}; start with mpiexec -n {}",
                        request.which.ranks, processes, request.which.ranks),
            {}};
  }
  if (!lost_.empty()) return without_ranks();
  timeout_ = timeout_of(request);
  notify_guard_of_case(timeout_);
  try {
    share(encode(request), {timeout_, arrival_timeout});
  } catch (const comm::CommunicationError& error) {
    lost_ = fmt::format("before {}: {}", request.which.id, error.what());
    return without_ranks();
  }
  for (int rank = 0; listener.placed && rank < request.which.ranks; ++rank)
    listener.placed(rank, hosts_.at(static_cast<std::size_t>(rank)));
  ForwardingProgress progress(request, listener);
  const Message last = run_to_message(run_, request, progress);
  progress.end();
  const auto result = [&](Outcome outcome) {
    if (progress.failure()) std::rethrow_exception(progress.failure());
    return outcome;
  };
  if (const auto* failure = std::get_if<Failure>(&last)) {
    if (lost_a_rank(last)) {
      lost_ = fmt::format("after {}: {}", request.which.id, failure->reason);
      end();
    } else {
      synchronise_after(request.which.id);
    }
    return result({failure->status, failure->reason, {}});
  }
  synchronise_after(request.which.id);
  return result({Status::ok, "", std::get<Measurement>(last)});
}

void RanksExecutor::synchronise_after(const std::string& case_id) {
  try {
    synchronise({timeout_, arrival_timeout});
  } catch (const comm::CommunicationError& error) {
    lost_ = fmt::format("after {}: {}", case_id, error.what());
  }
}

void RanksExecutor::end() {
  ended_ = "the ranks that the launcher started cannot continue " + lost_;
}

Outcome RanksExecutor::without_ranks() {
  end();
  return {Status::lost_rank, ended_, {}};
}

int RanksExecutor::dismiss(int exit_code) {
  if (lost_.empty()) {
    try {
      share(dismissal + std::to_string(exit_code), {timeout_, arrival_timeout});
      notify_guard_of_end(timeout_);
      return exit_code;
    } catch (const comm::CommunicationError& error) {
      lost_ = std::string("at its end: ") + error.what();
    }
  }
  if (ended_.empty()) std::cerr << "ddlbench: a rank was lost " << lost_ << '\n';
  comm::mpi::give_up();
  return exit_code == 0 ? infrastructure : exit_code;
}

static int follow(const CaseRunner& run) {
  gather_hosts();
  for (std::chrono::milliseconds timeout = timeout_before_cases;;) {
    const std::string said = share("", {timeout});
    if (said.starts_with(dismissal)) {
      notify_guard_of_end(timeout);
      return std::stoi(said.substr(std::string(dismissal).size()));
    }
    const WorkerRequest request = decode_request(said);
    timeout = timeout_of(request);
    notify_guard_of_case(timeout);
    NullProgress silence;
    const Message last = run_to_message(run, request, silence);
    synchronise({lost_a_rank(last) ? std::min(timeout, extra_timeout) : timeout});
  }
}

int follow_ranks(const CaseRunner& run) {
  try {
    return follow(run);
  } catch (const comm::CommunicationError& error) {
    if (error.rank() != 0) return infrastructure;  // rank 0 reports it
    std::this_thread::sleep_for(std::min(place().rank - 1, most_turns) * time_to_speak);
    std::cerr << "ddlbench: the run ends here, with the results as rank 0 left them: " << error.what() << std::endl;
    return infrastructure;
  }
}

}  // namespace ddlbench::bench
