#include "bench/launcher/watch.h"

#include <fmt/core.h>
#include <deque>
#include <sstream>

#include "base/stopwatch.h"
#include "bench/launcher/messages.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

using std::chrono::milliseconds;

/// Returns a shell command that sends a message of rank 0.
std::string say(const Message& message) {
  std::string commands;
  for (const std::string& line : frame(0, message)) commands += "printf '%s' '" + line + "'; ";
  return commands;
}

std::string ready() {
  return say(Alive{"measure", 0});
}

std::string result() {
  Measurement measurement;
  measurement.step_seconds = 1;
  return say(measurement);
}

/// Computes for about so many processor milliseconds.
std::string compute(int milliseconds) {
  return fmt::format("for ((n = 0; n < {}; ++n)); do :; done; ", 300 * milliseconds);
}

/// Runs shell scripts as cases in time slices of 10 ms.
std::vector<Outcome> run(const std::vector<std::string>& scripts, milliseconds timeout) {
  const StopSignals signals;
  const Listener listener{[](const Message&) {}, [](const UtilisationRecord&) {}};
  std::deque<Child> children;
  std::ostringstream log;
  AlternatingWatches watches(milliseconds(10), signals, [] {});
  for (const std::string& script : scripts) {
    LaunchCommand command;
    command.program = "/bin/bash";
    command.arguments = {"-c", script};
    children.emplace_back(command, "");
    watches.add(children.back(), {timeout, milliseconds(100)}, log, listener);
  }
  return watches.run();
}

}  // namespace

TEST_CASE("cases that run in time slices all end") {
  const std::string one = ready() + compute(50) + result();
  for (const Outcome& outcome : run({one, one, one}, std::chrono::seconds(60))) {
    CHECK(outcome.status == Status::ok);
    CHECK(outcome.measurement.has_value());
  }
}

TEST_CASE("one of several cases that fails does not hold the others") {
  const std::string good = ready() + compute(50) + result();
  for (const std::string& bad : {std::string("kill -KILL $$"), ready() + "kill -KILL $$", std::string("exit 3"),
                                 say(Failure{Status::non_finite, "the loss is NaN"}) + "exit 1"}) {
    const std::vector<Outcome> outcomes = run({good, bad, good}, std::chrono::seconds(60));
    CHECK(outcomes[0].status == Status::ok);
    CHECK(outcomes[1].status != Status::ok);
    CHECK(outcomes[2].status == Status::ok);
  }
}

TEST_CASE("the time in which a case is stopped for others does not count") {
  const std::string one = ready() + "for i in 1 2 3 4 5; do " + compute(100) + ready() + "done; " + result();
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Outcome> outcomes = run({one, one, one, one}, std::chrono::seconds(2));
  INFO(seconds_since(begin) << " s");
  for (const Outcome& outcome : outcomes) CHECK(outcome.status == Status::ok);
}

TEST_CASE("a case that hangs times out, and the others wait for it only for a moment") {
  const auto begin = std::chrono::steady_clock::now();
  const std::vector<Outcome> outcomes =
      run({ready() + result(), "sleep 1000", ready() + compute(20) + result()}, std::chrono::seconds(1));
  CHECK(outcomes[0].status == Status::ok);
  CHECK(outcomes[1].status == Status::timed_out);
  CHECK(outcomes[1].reason.starts_with("no sign of progress for 1 s"));
  CHECK(outcomes[2].status == Status::ok);
  CHECK(seconds_since(begin) < 30);
}

TEST_CASE("without any case nothing is watched") {
  CHECK(run({}, std::chrono::seconds(1)).empty());
}
