#include "bench/launcher/supervisor.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "bench/launcher/worker_main.h"
#include "catch.h"
#include "contains.h"
#include "environment_variable.h"
#include "platform/host_name.h"
#include "supervised.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using ddlbench::test::contains;
using ddlbench::test::EnvironmentVariable;
using ddlbench::test::TemporaryFolder;

TEST_CASE("a missing certificate is a failure only if nothing but certificates is asked for", "[F4]") {
  const std::vector<Case> cases{make_case("held against one rank"), make_case("no certificate")};
  TemporaryFolder folder, another;
  CHECK(run(folder, cases).code == 0);
  const Run verified = run(another, cases, 20, "/proc/self/exe", {}, true);
  CHECK(verified.code == 1);
  CHECK(contains(verified.out, "not enough memory: needs 2 B, 1 B available"));
  CHECK(contains(verified.out, "1 of 1 certificates hold"));
}

TEST_CASE("a trace that cannot be written is reported in the row and on stderr, and the run succeeds", "[F14]") {
  TemporaryFolder folder;
  const Run ran = run(folder, {make_case("no trace")});
  CHECK(ran.code == 0);
  const CaseRecord& record = record_of(ran, "no trace");
  CHECK(record.status == Status::ok);
  CHECK(record.status_reason ==
        "the trace of a step could not be written: trace/x.json: cannot be written: No space left on device");
  CHECK(contains(ran.err, "no trace: ok"));
  CHECK(contains(ran.err, record.status_reason));
}

TEST_CASE("a case that fails has its status, and the other cases run") {
  TemporaryFolder folder;
  std::vector<Case> cases;
  for (const char* act : {"ok", "crash", "killed", "garbage", "exit", "memory", "nan", "data", "unsupported", "input",
                          "stalled", "lost", "chatty"}) {
    cases.push_back(make_case(act));
  }
  cases.push_back(make_case("planned"));
  cases.back().unsupported = "mesh data=2 has 2 ranks, but the case has 1";
  const Run ran = run(folder, cases);

  CHECK(ran.code == 1);
  REQUIRE(ran.records.cases.size() == cases.size());
  const auto check = [&](const std::string& id, Status status, const std::string& reason) {
    const CaseRecord& record = record_of(ran, id);
    INFO(id << ": " << name(record.status) << ": " << record.status_reason);
    CHECK(record.status == status);
    CHECK(contains(record.status_reason, reason));
    CHECK(record.measurement.has_value() == (status == Status::ok));
  };
  check("ok", Status::ok, "");
  check("crash", Status::crashed, "killed by signal 6 (SIGABRT) in phase train: ");
  check("killed", Status::crashed, "killed by signal 9 (SIGKILL) in phase train: ");
  check("killed", Status::crashed, "log of killed");
  check("garbage", Status::failed, "not a message: \"garbage\"");
  check("exit", Status::crashed, "ended with code 3 without its result, in phase train: ");
  check("exit", Status::crashed, "log of exit");
  check("memory", Status::out_of_memory, "memory");
  check("nan", Status::non_finite, "step 7 on rank 1");
  check("data", Status::bad_data, "x.gz is cut off");
  check("unsupported", Status::unsupported, "5 heads");
  check("input", Status::failed, "no such device");
  check("stalled", Status::timed_out, "stalled");
  check("lost", Status::lost_rank, "rank 1 died");
  check("chatty", Status::ok, "");
  check("planned", Status::unsupported, "mesh data=2");
  CHECK(record_of(ran, "ok").status_reason.empty());

  CHECK(ran.records.epochs.size() == 13);
  CHECK(ran.records.epochs[1].case_id == "crash");
  CHECK(ran.records.ranks.size() == 13);
  CHECK(contains(read_file(folder / "run/log/killed.log"), "log of killed\n"));
  CHECK(read_file(folder / "run/trace/ok.json") == "{}");
  CHECK_FALSE(std::filesystem::exists(folder / "run/trace/planned.json"));
  CHECK(contains(ran.out, "Tie for the best: ok on 1 rank × 1 thread"));
  CHECK(contains(ran.out, "records: " + folder.path()));
  CHECK(contains(ran.err, "[1/13] ok: ok, "));
  CHECK(contains(ran.err, "[3/13] killed: crashed, "));
  CHECK(contains(ran.err, "planned: unsupported (mesh data=2"));
  CHECK(cases_of(::getpid()) == 0);
}

TEST_CASE("control characters in a case's reason do not reach the terminal, but are kept in the records", "[F12]") {
  const TemporaryFolder folder;
  const Run result = run(folder, {make_case("steers")});
  CHECK(record_of(result, "steers").status_reason == "\x1b[2J\r\nall ok");
  for (const std::string& shown : {result.out, result.err}) {
    INFO(shown);
    CHECK(shown.find_first_of("\x1b\r") == std::string::npos);
    CHECK(contains(shown, "\\x1b[2J\\r\\nall ok"));
  }
}

TEST_CASE("a case's threads spin longer if they have cores of their own") {
  const EnvironmentVariable count("GOMP_SPINCOUNT", {}), policy("OMP_WAIT_POLICY", {});
  for (const bool oversubscribed : {false, true}) {
    TemporaryFolder folder;
    Case which = make_case("spins");
    which.oversubscribed = oversubscribed;
    const Run ran = run(folder, {which});
    CHECK(contains(record_of(ran, "spins").status_reason, oversubscribed ? "spins 1000" : "spins 10000"));
    CHECK(contains(record_of(ran, "spins").status_reason, "spins 10000") == !oversubscribed);
  }
}

TEST_CASE("environment.json lists the hosts on which ranks ran, with the ranks of all cases") {
  TemporaryFolder folder;
  run(folder, {make_case("ok", 2), make_case("crash", 3)});
  const auto environment = nlohmann::json::parse(read_file(folder / "run/environment.json"));
  CHECK(environment.at("hosts") == nlohmann::json{{{"host", platform::host_name()}, {"ranks", {0, 1, 2}}}});
}

TEST_CASE("a silent case is ended with all its processes") {
  TemporaryFolder folder;
  const Run ran = run(folder, {make_case("hang"), make_case("stubborn")}, 1.5);
  CHECK(ran.code == 1);
  for (const char* id : {"hang", "stubborn"}) {
    CHECK(record_of(ran, id).status == Status::timed_out);
    CHECK(contains(record_of(ran, id).status_reason,
                   "no sign of progress for 1.5 s in phase "));  // start, on a busy machine
  }
  CHECK(cases_of(::getpid()) == 0);
}

TEST_CASE("a case that takes too long is ended, although it makes progress") {
  TemporaryFolder folder;
  const Run ran = run_with_limit(folder, {make_case("works on"), make_case("single")}, 2.5);
  CHECK(ran.code == 1);
  CHECK(record_of(ran, "works on").status == Status::timed_out);
  CHECK(
      contains(record_of(ran, "works on").status_reason, "took longer than measure/case_seconds (2.5 s), and was in "));
  CHECK(record_of(ran, "single").status == Status::ok);
  CHECK(cases_of(::getpid()) == 0);
}

TEST_CASE("exit codes") {
  TemporaryFolder folder;
  SECTION("all ok") {
    CHECK(run(folder, {make_case("ok")}).code == 0);
  }
  SECTION("an expected failure is a success") {
    Case which = make_case("memory");
    which.strategy.expect = "out_of_memory";
    CHECK(run(folder, {which}).code == 0);
  }
  SECTION("what was expected and did not come is one, and the reason says so") {
    std::vector<Case> cases{make_case("ok"), make_case("memory")};
    cases[0].strategy.expect = "out_of_memory";
    cases[1].strategy.expect = "non_finite";
    const Run ran = run(folder, cases);
    CHECK(ran.code == 1);
    CHECK(record_of(ran, "ok").status == Status::ok);
    CHECK(record_of(ran, "ok").status_reason == "out_of_memory was expected");
    CHECK(record_of(ran, "memory").status == Status::out_of_memory);
    CHECK(contains(record_of(ran, "memory").status_reason, "non_finite was expected: host memory could not be"));
  }
  SECTION("a plan that does not fit is never started") {
    Case which = make_case("crash");
    which.out_of_memory = "rank 1 plans 2 bytes";
    which.strategy.expect = "out_of_memory";
    const Run ran = run(folder, {which});
    CHECK(ran.code == 0);
    CHECK(record_of(ran, "crash").status == Status::out_of_memory);
    CHECK(record_of(ran, "crash").status_reason == "rank 1 plans 2 bytes");
    CHECK_FALSE(std::filesystem::exists(folder / "run/log/crash.log"));
  }
  SECTION("what cannot run is none") {
    Case which = make_case("planned");
    which.unsupported = "no";
    CHECK(run(folder, {which, make_case("unsupported"), make_case("ok")}).code == 0);
  }
  SECTION("a program that cannot be started is one") {
    const Run ran = run(folder, {make_case("ok")}, 20, "/nonexistent/ddlbench");
    CHECK(ran.code == 1);
    CHECK(contains(record_of(ran, "ok").status_reason, "cannot be started"));
  }
}

TEST_CASE("after --max-failures failures the remaining cases are skipped") {
  TemporaryFolder folder;
  Case expected = make_case("nan");
  expected.strategy.expect = "non_finite";
  const Run ran = run(folder, {make_case("ok"), expected, make_case("exit"), make_case("data"), make_case("later")}, 20,
                      "/proc/self/exe", 2);
  CHECK(ran.code == 1);
  CHECK(record_of(ran, "data").status == Status::bad_data);
  CHECK(record_of(ran, "later").status == Status::skipped);
  CHECK(record_of(ran, "later").status_reason == "--max-failures 2 was reached");
}

TEST_CASE("a stopped process is distinguished from a slow one") {
  TemporaryFolder folder;
  const Run ran = run(folder, {make_case("stopped")}, 1.5);
  CHECK(record_of(ran, "stopped").status == Status::lost_rank);
  CHECK(contains(record_of(ran, "stopped").status_reason, " was stopped (by SIGSTOP"));
  CHECK(cases_of(::getpid()) == 0);
}

TEST_CASE("an interrupted run keeps its results") {
  TemporaryFolder folder;
  const Run ran = run(folder, {make_case("ok"), make_case("stop the run"), make_case("after"), make_case("later")});
  CHECK(ran.code == 143);
  CHECK(record_of(ran, "ok").status == Status::ok);
  CHECK(record_of(ran, "stop the run").status == Status::interrupted);
  CHECK(record_of(ran, "stop the run").status_reason == "stopped by signal 15 (SIGTERM) in phase train");
  CHECK(record_of(ran, "after").status == Status::skipped);
  CHECK(record_of(ran, "later").status == Status::skipped);
  CHECK(contains(read_file(folder / "run/cases.csv"), ",interrupted,stopped by signal 15"));
  CHECK(cases_of(::getpid()) == 0);
}

TEST_CASE("a case that ends just before the run is stopped is interrupted, too") {
  TemporaryFolder folder;
  std::thread stopper([] {  // as a batch system that signals the ranks of a case and the supervisor
    while (cases_of(::getpid()) == 0) std::this_thread::yield();
    while (cases_of(::getpid()) > 0) std::this_thread::yield();
    ::kill(::getpid(), SIGTERM);
  });
  const Run ran = run(folder, {make_case("exit"), make_case("later")});
  stopper.join();
  CHECK(ran.code == 143);
  CHECK(record_of(ran, "exit").status == Status::interrupted);
  CHECK(record_of(ran, "later").status == Status::skipped);
}

TEST_CASE("a killed supervisor leaves no orphans and a readable journal") {
  TemporaryFolder folder;
  const pid_t supervisor = ::fork();
  if (supervisor == 0) {
    run(folder, {make_case("ok"), make_case("hang")});
    ::_exit(0);
  }
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const std::string log = folder / "run/log/hang.log";
  while (!(std::filesystem::exists(log) && contains(read_file(log), "log of hang"))) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  CHECK(cases_of(supervisor) == 1);
  ::kill(supervisor, SIGKILL);
  int status = 0;
  ::waitpid(supervisor, &status, 0);
  while (cases_of(supervisor) != 0) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const Records records = read_records(folder / "run");
  REQUIRE(records.cases.size() == 1);
  CHECK(records.cases[0].case_id == "ok");
  CHECK(contains(read_file(folder / "run/cases.csv"), ",ok,"));
}

TEST_CASE("nothing runs if the records cannot be stored") {
  TemporaryFolder folder;
  std::ofstream(folder / "run") << "a file";
  CHECK_THROWS_AS(run(folder, {make_case("ok")}), InputError);
  ::unsetenv(worker_variable);
}

TEST_CASE("a worker without a supervisor exits with a usage error") {
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(STDIN_FILENO);
    ::open("/dev/null", O_RDONLY);
    ::close(STDERR_FILENO);
    ::_exit(worker_main(stand_in));
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) == 2);
}
