#include "bench/compare/run_program.h"

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <utility>
#include <vector>

#include "base/stopwatch.h"
#include "catch.h"
#include "temporary_folder.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

constexpr std::chrono::milliseconds time_slice{20};

ProgramStart script(const std::string& commands, const std::string& log) {
  LaunchCommand command;
  command.program = "/bin/bash";
  command.arguments = {"-c", commands};
  return {command, log};
}

/// Returns a program of which a child prints the time, again and again.
ProgramStart clock_of(const std::string& commands_at_end, const std::string& log) {
  return script("(for ((i = 0; i < 20000; ++i)); do echo $EPOCHREALTIME; done) & wait; " + commands_at_end, log);
}

std::vector<double> times_in(const std::string& log) {
  std::ifstream file(log);
  std::vector<double> times;
  for (double time = 0; file >> time;) times.push_back(time);
  return times;
}

}  // namespace

TEST_CASE("a program's exit code, last lines and log are kept") {
  const test::TemporaryFolder folder;
  const StopSignals signals;
  ProgramStart start = script("for i in 1 2 3 4 5; do echo line $i $WORD; done >&2; exit 7", folder / "log");
  start.command.environment["WORD"] = "there";
  const ProgramEnd end = run_program(start, signals);
  CHECK(end.exit_code == 7);
  CHECK(!end.stopped);
  CHECK(end.last_lines == "line 3 there; line 4 there; line 5 there");
  std::ifstream log(folder / "log");
  std::string line;
  CHECK((std::getline(log, line) && line == "line 1 there"));
  CHECK(run_program(script("kill -9 $$", folder / "log"), signals).exit_code == 128 + 9);
}

TEST_CASE("of two programs, one runs while the other one is stopped with its children") {
  const test::TemporaryFolder folder;
  const StopSignals signals;
  const auto begin = std::chrono::steady_clock::now();
  const auto ends =
      run_alternately({clock_of("exit 3", folder / "a"), clock_of("exit 5", folder / "b")}, time_slice, signals);
  const double seconds = seconds_since(begin);
  CHECK(ends[0].exit_code == 3);
  CHECK(ends[1].exit_code == 5);

  std::vector<std::pair<double, char>> all;
  for (const char* name : {"a", "b"}) {
    const std::vector<double> times = times_in(folder / name);
    CHECK(times.size() == 20000);
    for (const double time : times) all.emplace_back(time, *name);
  }
  std::sort(all.begin(), all.end());
  int changes = 0;
  for (std::size_t i = 1; i < all.size(); ++i) changes += all[i].second != all[i - 1].second;
  CHECK(changes >= 2);
  CHECK(changes <= seconds / std::chrono::duration<double>(time_slice).count() + 2);
}

TEST_CASE("a program that ends leaves the turns, and its remaining processes are killed") {
  const test::TemporaryFolder folder;
  const StopSignals signals;
  const std::string left = folder / "left", leaves_a_process = "sleep 1000 & echo $! > " + left + "; exit 4";
  const auto ends = run_alternately({script(leaves_a_process, folder / "a"), clock_of("exit 0", folder / "b"),
                                     script("sleep 0.1; exit 6", folder / "c")},
                                    time_slice, signals);
  CHECK(ends[0].exit_code == 4);
  CHECK(ends[1].exit_code == 0);
  CHECK(ends[2].exit_code == 6);
  CHECK(times_in(folder / "b").size() == 20000);
  pid_t process = 0;
  REQUIRE(std::ifstream(left) >> process);
  CHECK(::kill(process, 0) != 0);
}

TEST_CASE("a signal ends programs that are stopped, too") {
  const test::TemporaryFolder folder;
  const StopSignals signals;
  const std::string ready = folder / "ready", handles = "trap 'echo asked; exit 1' TERM; ";
  const std::string waits = "while :; do sleep 0.01; done";
  const std::string asks = "until [ -e " + ready + " ]; do sleep 0.01; done; kill -TERM $PPID; ";
  const auto ends = run_alternately(
      {script(handles + asks + waits, folder / "a"), script(handles + ": > " + ready + "; " + waits, folder / "b")},
      time_slice, signals);
  for (const ProgramEnd& end : ends) {
    CHECK(end.stopped);
    CHECK(end.last_lines == "asked");
  }
}

TEST_CASE("programs that run one after the other end in their order") {
  const test::TemporaryFolder folder;
  const StopSignals signals;
  const auto ends = run_successively({script("exit 1", folder / "a"), script("exit 2", folder / "b")}, signals);
  REQUIRE(ends.size() == 2);
  CHECK(ends[0].exit_code == 1);
  CHECK(ends[1].exit_code == 2);
}
