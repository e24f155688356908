#include "supervised.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <new>
#include <sstream>

#include "base/error.h"
#include "bench/case/trainer.h"
#include "bench/config/load.h"
#include "bench/launcher/child_executor.h"
#include "bench/launcher/messages.h"
#include "bench/launcher/supervisor.h"
#include "bench/launcher/worker_main.h"
#include "catch.h"
#include "comm/communicator.h"
#include "contains.h"
#include "environment_variable.h"
#include "strategies/strategy.h"
#include "workloads/dataset.h"

namespace ddlbench::bench {
namespace {

using test::contains;

int messages = -1;  ///< in a stand-in: the descriptor for worker_main's messages

[[noreturn]] void hang() {
  for (;;) ::pause();
}

/// The configuration that workers receive; none of it is executed.
const std::string configuration = R"({
  "name": "fixture",
  "workload": {"model": "mlp", "dataset": "synthetic", "global_batch": 32},
  "training": {"optimizer": {"kind": "sgd", "learning_rate": 0.1}},
  "devices": {"ranks": 1},
  "strategies": ["single"]
})";

Experiment experiment(double timeout_seconds) {
  const std::string timeout = "/measure/timeout_seconds=" + std::to_string(timeout_seconds);
  return parse_experiment(configuration, "fixture.json", {timeout}, real_registries());
}

}  // namespace

Measurement stand_in(const Experiment&, const Case& which, const std::string& trace_file, Progress& progress) {
  const std::string& act = which.id;
  std::ofstream(trace_file) << "{}";
  progress.alive("prepare", 0.1);
  EpochRecord epoch;
  epoch.epoch = 1;
  epoch.train_loss = 0.5;
  progress.epoch(epoch);
  RankRecord rank;
  rank.rank = 0;
  progress.rank(rank);
  progress.alive("train", 0.5);
  std::cerr << "log of " << which.id << std::endl;
  if (act == "crash") {
    ::signal(SIGABRT, SIG_DFL);  // Catch2 installs a handler, which allocates
    std::abort();
  }
  if (act == "hang") hang();
  if (act == "works on") {
    for (;; ::usleep(20'000)) progress.alive("train", 0.5);
  }
  if (act == "stopped") ::raise(SIGSTOP);
  if (act == "stubborn") {
    ::signal(SIGTERM, SIG_IGN);
    if (::fork() == 0) hang();  // a child process
    hang();
  }
  if (act == "killed") ::raise(SIGKILL);
  if (act == "garbage") {
    [[maybe_unused]] const auto written = ::write(messages, "@ddlbench 0 . garbage\n", 22);
    hang();
  }
  if (act == "floods") {
    ::signal(SIGTERM, SIG_IGN);
    const std::string text(1 << 16, '.');
    while (::write(STDERR_FILENO, text.data(), text.size()) > 0) {
    }
  }
  if (act == "overfills") {
    const std::string line = std::string((1 << 15) - 1, '.') + '\n';
    for (int i = 0; i < 2100; ++i) std::cerr << line;
  }
  if (act.starts_with("loses")) {
    const auto tell = [](int from, const Message& message) { write_message(messages, from, message); };
    const Failure noticed{Status::timed_out, "rank 0 waited 4000 ms for rank 1"};
    if (contains(act, "silence")) tell(0, noticed);
    if (contains(act, "abort")) tell(0, Killed{11, "node7", SIGABRT});
    tell(1, Killed{12, "node7", SIGKILL});
    if (!contains(act, "abort")) tell(0, Killed{11, "node7", SIGABRT});
    ::_exit(9);
  }
  if (act == "chatty") std::cout << "{\"kind\":\"failure\"}" << std::endl;
  if (act == "exit") ::_exit(3);
  if (act == "spins") throw InputError(std::string("spins ") + std::getenv("GOMP_SPINCOUNT"));
  if (act == "memory") throw std::bad_alloc();
  if (act == "nan") throw NonFinite("the loss of step 7 on rank 1 is nan");
  if (act == "data") throw workloads::BadData("x.gz is cut off");
  if (act == "unsupported") throw strategies::Unsupported("5 heads on 2 ranks");
  if (act == "input") throw InputError("no such device");
  if (act == "steers") throw InputError("\x1b[2J\r\nall ok");
  if (act == "stalled") throw comm::CommunicationError(comm::CommunicationError::Kind::timed_out, 1, "send", "stalled");
  if (act == "lost")
    throw comm::CommunicationError(comm::CommunicationError::Kind::lost_rank, 1, "send", "rank 1 died");
  if (act.starts_with("first ") && !trace_file.empty() && !std::filesystem::exists(trace_file + ".again")) {
    std::ofstream(trace_file + ".again") << "";
    if (contains(act, "lost"))
      throw comm::CommunicationError(comm::CommunicationError::Kind::lost_rank, 1, "send", "rank 1 died");
    if (contains(act, "nan")) throw NonFinite("the loss of step 7 on rank 1 is nan");
    ::kill(std::atoi(std::getenv(worker_variable)), SIGTERM);
    hang();
  }
  if (act == "stop the run") {
    ::kill(std::atoi(std::getenv(worker_variable)), SIGTERM);
    hang();
  }
  Measurement measured;
  measured.promise = "exact";
  measured.certified = true;
  measured.repetitions = 1;
  measured.step_seconds = measured.step_seconds_low = measured.step_seconds_high = 1e-3;
  if (act == "held against one rank") measured.certificate_update = 0;
  if (act == "no certificate") measured.certificate_reason = "not enough memory: needs 2 B, 1 B available";
  if (act == "no trace") measured.trace_failure = "trace/x.json: cannot be written: No space left on device";
  return measured;
}

Case make_case(const std::string& act, int ranks) {
  Case which;
  which.id = act;
  which.strategy.pointer = "/strategies/0";
  which.strategy.label = act;
  which.contract_id = "c0ffee";
  which.ranks = ranks;
  return which;
}

namespace {

Run run_request(const test::TemporaryFolder& folder, const Experiment& experiment, const std::vector<Case>& cases,
                RunRequest request, const std::string& program = "/proc/self/exe") {
  const test::EnvironmentVariable starts_workers(worker_variable, std::to_string(::getpid()));
  request.output = folder / "run";
  request.resolved_config = "{}\n";
  ChildExecutor executor({program, {"[.worker]"}, {}, std::chrono::milliseconds(100)});
  std::ostringstream out, err;
  Run result;
  result.code = run_experiment(experiment, cases, request, executor, out, err);
  result.records = read_records(request.output);
  result.out = out.str();
  result.err = err.str();
  return result;
}

}  // namespace

Run run(const test::TemporaryFolder& folder, const std::vector<Case>& cases, double timeout_seconds,
        const std::string& program, std::optional<int> max_failures, bool certificates_only) {
  RunRequest request;
  request.max_failures = max_failures;
  Experiment one = experiment(timeout_seconds);
  one.derived.certificates_only = certificates_only;
  return run_request(folder, one, cases, request, program);
}

Run resume(const test::TemporaryFolder& folder, const std::vector<Case>& cases, Retry retry) {
  RunRequest request;
  request.resumption = Resumption{folder / "run", {}, {}};
  request.retry = retry;
  return run_request(folder, experiment(20), cases, request);
}

Run run_until(const test::TemporaryFolder& folder, const std::vector<Case>& cases,
              std::chrono::steady_clock::time_point deadline) {
  RunRequest request;
  request.deadline = deadline;
  return run_request(folder, experiment(20), cases, request);
}

Run run_with_limit(const test::TemporaryFolder& folder, const std::vector<Case>& cases, double case_seconds) {
  Experiment one = experiment(20);
  one.measure.case_seconds = case_seconds;
  return run_request(folder, one, cases, {});
}

Run run_with_retries(const test::TemporaryFolder& folder, const std::vector<Case>& cases, int retries) {
  RunRequest request;
  request.retries = retries;
  return run_request(folder, experiment(20), cases, request);
}

const CaseRecord& record_of(const Run& run, const std::string& id) {
  for (const CaseRecord& record : run.records.cases) {
    if (record.case_id == id) return record;
  }
  throw std::runtime_error("no record of " + id);
}

int cases_of(pid_t parent) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ostringstream text;  // read through a stream operator, because the process may end meanwhile
    text << std::ifstream(entry.path() / "environ").rdbuf();
    if (contains(text.str(), std::string(worker_variable) + "=" + std::to_string(parent))) ++count;
  }
  return count;
}

TEST_CASE("stand-in for a case's process", "[.worker]") {
  if (!std::getenv(worker_variable)) return;  // started by hand: there is no request
  messages = ::dup(STDOUT_FILENO);
  std::_Exit(worker_main(stand_in));
}

}  // namespace ddlbench::bench
