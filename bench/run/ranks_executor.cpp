#include "bench/run/ranks_executor.h"

#include <unistd.h>

#include <iostream>
#include <set>
#include <thread>

#include "bench/records/host_name.h"
#include "bench/run/gpu_utilisation.h"
#include "bench/run/share.h"
#include "bench/run/utilisation.h"
#include "comm/communicator.h"
#include "comm/process_place.h"
#include "graph/error.h"
#include "graph/random.h"

namespace ddlbench::bench {
namespace {

/// Processes wait for rank 0 however long it takes it to come: its data may be large, or its disk slow.
constexpr std::chrono::hours forever{10000};
/// Rank 0 waits for the others, and after a case that failed all do: whoever can come comes at once.
constexpr std::chrono::seconds time_to_meet{10};

constexpr const char* dismissal = "exit ";

comm::ProcessPlace place() {
  return comm::process_place().value_or(comm::ProcessPlace{});
}

/// After a case, so that none begins the next while another is still in this one. Throws CommunicationError
/// where a process is lost.
void meet(std::chrono::milliseconds patience) {
  share_all(0, patience);
}

/// Passes on what a case tells, and looks from time to time at what it takes.
class HeardProgress final : public Progress {
 public:
  HeardProgress(const WorkerRequest& request, const Listener& listener)
      : listener_(listener),
        sampler_(request.which.id, ::getpid(), gpus_of_case(request.experiment.devices, request.which.ranks)) {
    listener_.sampled(sampler_.sample());
  }
  void alive(const std::string& phase, double fraction) override {
    listener_.heard(Alive{phase, fraction});
    if (const auto sample = sampler_.sample_if_due()) listener_.sampled(*sample);
  }
  void epoch(const EpochRecord& record) override { listener_.heard(record); }
  void rank(const RankRecord& record) override { listener_.heard(record); }
  void end() { listener_.sampled(sampler_.sample()); }

 private:
  const Listener& listener_;
  UtilisationSampler sampler_;
};

class Silence final : public Progress {
 public:
  void alive(const std::string&, double) override {}
  void epoch(const EpochRecord&) override {}
  void rank(const RankRecord&) override {}
};

}  // namespace

bool in_ranks() {
  return place().size > 1;
}

int cores_of_ranks() {
  const auto host = static_cast<int>(graph::fnv1a(host_name()) & 0x7fffffff);
  const std::vector<int> hosts = share_all(host, std::chrono::minutes(1));
  const std::vector<int> cores = share_all(static_cast<int>(std::thread::hardware_concurrency()), forever);
  std::set<int> counted;
  int sum = 0;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    if (counted.insert(hosts[rank]).second) sum += cores[rank];
  }
  return sum;
}

Outcome RanksExecutor::run(const WorkerRequest& request, const std::string&, const Listener& listener) {
  const int processes = place().size;
  if (request.which.ranks > processes) {
    return {Status::unsupported,
            std::to_string(request.which.ranks) + " ranks are wanted, but the launcher started " +
                std::to_string(processes) + "; start with mpiexec -n " + std::to_string(request.which.ranks),
            {}};
  }
  share(encode(request), forever);
  HeardProgress progress(request, listener);
  const Message last = run_to_message(run_, request, progress);
  progress.end();
  if (const auto* failure = std::get_if<Failure>(&last)) {
    const bool lost = failure->status == Status::timed_out || failure->status == Status::lost_rank;
    lost ? end_with(request.which.id, failure->reason) : go_on_after(request.which.id);
    return {failure->status, failure->reason, {}};
  }
  go_on_after(request.which.id);
  return {Status::ok, "", std::get<Measurement>(last)};
}

void RanksExecutor::go_on_after(const std::string& case_id) {
  try {
    meet(time_to_meet);
  } catch (const comm::CommunicationError& error) {
    end_with(case_id, error.what());
  }
}

void RanksExecutor::end_with(const std::string& case_id, const std::string& why) {
  lost_ = "the ranks that the launcher started cannot go on after " + case_id + ": " + why;
}

void RanksExecutor::dismiss(int exit_code) {
  if (lost_.empty()) {
    share(dismissal + std::to_string(exit_code), forever);
    return;
  }
  // Who is lost comes to no end of MPI: this process leaves without it, and the launcher ends the others.
  std::cout.flush();
  ::_exit(exit_code);
}

int follow_ranks(const CaseRunner& run) {
  cores_of_ranks();
  for (;;) {
    const std::string said = share("", forever);
    if (said.starts_with(dismissal)) return std::stoi(said.substr(std::string(dismissal).size()));
    Silence silence;
    const bool failed = std::holds_alternative<Failure>(run_to_message(run, decode_request(said), silence));
    meet(failed ? std::chrono::milliseconds(time_to_meet) : std::chrono::milliseconds(forever));
  }
}

}  // namespace ddlbench::bench
