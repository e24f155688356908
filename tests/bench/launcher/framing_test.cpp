#include <limits.h>

#include "base/error.h"
#include "bench/launcher/messages.h"
#include "catch.h"

using namespace ddlbench::bench;

namespace {

std::string without_end(const std::string& line) {
  return line.substr(0, line.size() - 1);
}

}  // namespace

TEST_CASE("long messages of several ranks can share a pipe") {
  const std::string long_reason(3 * PIPE_BUF, 'x');
  const std::vector<std::string> first = frame(0, Failure{Status::failed, long_reason});
  const std::vector<std::string> second = frame(12, Failure{Status::timed_out, long_reason + "y"});
  REQUIRE(first.size() == second.size());
  REQUIRE(first.size() > 3);
  Unframer unframer;
  std::vector<Unframer::ReceivedMessage> heard;
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (const std::string& line : {first[i], second[i]}) {
      CHECK(line.size() <= PIPE_BUF);
      CHECK(line.find('\n') == line.size() - 1);
      CHECK(Unframer::is_framed(line));
      if (auto message = unframer.take(without_end(line))) heard.push_back(std::move(*message));
    }
  }
  REQUIRE(heard.size() == 2);
  CHECK(heard[0].rank == 0);
  CHECK(std::get<Failure>(heard[0].message).reason == long_reason);
  CHECK(heard[1].rank == 12);
  CHECK(std::get<Failure>(heard[1].message).reason == long_reason + "y");
}

TEST_CASE("messages carry a rank's process and host, and the signal that killed it") {
  Unframer unframer;
  const auto started = unframer.take(without_end(frame(3, Started{4711, "node7"}).front()));
  REQUIRE(started.has_value());
  CHECK(started->rank == 3);
  CHECK(std::get<Started>(started->message).process == 4711);
  CHECK(std::get<Started>(started->message).host == "node7");
  const auto killed = unframer.take(without_end(frame(3, Killed{4711, "node7", 9}).front()));
  CHECK(std::get<Killed>(killed.value().message).signal == 9);
}

TEST_CASE("an endless message is rejected without losing other messages", "[F3]") {
  const std::string part = "@ddlbench 0 + " + std::string(4000, 'x');
  Unframer unframer;
  for (int i = 0; i < 1000; ++i) CHECK_FALSE(unframer.take(part).has_value());
  CHECK(unframer.take(without_end(frame(1, Started{4711, "node7"}).front())).has_value());
  const auto go_on = [&] {
    for (int i = 0; i < 4000; ++i) static_cast<void>(unframer.take(part));
  };
  CHECK_THROWS_AS(go_on(), ddlbench::ContractError);
}

TEST_CASE("any number of complete messages is accepted", "[F3]") {
  Unframer unframer;
  const std::vector<std::string> lines = frame(0, Failure{Status::failed, std::string(1 << 20, 'x')});
  int heard = 0;
  for (int i = 0; i < 20; ++i) {
    for (const std::string& line : lines) heard += unframer.take(without_end(line)).has_value() ? 1 : 0;
  }
  CHECK(heard == 20);
}

TEST_CASE("invalid framed lines are rejected, and other lines are not framed") {
  CHECK_FALSE(Unframer::is_framed("=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES"));
  CHECK_FALSE(Unframer::is_framed("{\"kind\":\"failure\"}"));
  for (const char* line : {"@ddlbench ", "@ddlbench 0", "@ddlbench x . {}", "@ddlbench -1 . {}", "@ddlbench 0 ! {}",
                           "@ddlbench 0 . garbage", "@ddlbench 0 . {}"}) {
    INFO(line);
    CHECK_THROWS_AS(Unframer().take(line), ddlbench::ContractError);
  }
}
