// What a case's processes print, and the messages that they send before they end.

#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "base/input_file.h"
#include "catch.h"
#include "contains.h"
#include "supervised.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using ddlbench::test::contains;
using ddlbench::test::TemporaryFolder;

TEST_CASE("a case that prints without end times out like a silent one", "[F3]") {
  TemporaryFolder folder;
  const Run ran = run(folder, {make_case("floods")}, 1.5);
  CHECK(record_of(ran, "floods").status == Status::timed_out);
  CHECK(contains(record_of(ran, "floods").status_reason, "no sign of progress for 1.5 s in phase train"));
  CHECK(std::filesystem::file_size(folder / "run/log/floods.log") < 100000);
  CHECK(cases_of(::getpid()) == 0);
}

TEST_CASE("a case's log has a size limit and says when it is reached", "[F3]") {
  TemporaryFolder folder;
  const Run ran = run(folder, {make_case("overfills")});
  CHECK(record_of(ran, "overfills").status == Status::ok);
  const std::string log = ddlbench::InputFile(folder / "run/log/overfills.log").text();
  CHECK(log.size() < (std::size_t{64} << 20) + 200);
  CHECK(contains(log.substr(log.size() - 200), "the rest is dropped: a case's log is limited to 67108864 bytes"));
}

TEST_CASE("a stop signal ends a run whose case prints without end", "[F3]") {
  TemporaryFolder folder;
  const pid_t supervisor = ::getpid();
  std::thread stop([&] {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    ::kill(supervisor, SIGTERM);
  });
  const Run ran = run(folder, {make_case("floods")}, 60);
  stop.join();
  CHECK(ran.code == 143);
  CHECK(record_of(ran, "floods").status == Status::interrupted);
}

TEST_CASE("if several ranks fail, the reported reason is the cause of the others", "[F7]") {
  TemporaryFolder folder;
  const Run ran = run(folder, {make_case("loses a rank"), make_case("loses, with an abort before"),
                               make_case("loses, with silence before"), make_case("loses, with silence and an abort")});
  for (const CaseRecord& record : ran.records.cases) {
    INFO(record.case_id);
    CHECK(record.status == Status::lost_rank);
    CHECK(
        contains(record.status_reason, "rank 1 (process 12 on node7) was killed by signal 9 (SIGKILL) in phase train"));
  }
}
