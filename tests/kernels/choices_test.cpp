#include "kernels/choice/choices.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "catch.h"
#include "kernels/choice/autotune.h"
#include "kernels/host_device.h"
#include "platform/scratch_memory.h"
#include "platform/waiting_times.h"
#include "skip.h"

using namespace ddlbench;
using namespace ddlbench::kernels;

namespace {

const std::vector<std::string> two{"slow", "fast"};

Choices::Choice choose_fast() {
  return {"fast"};
}

Choices::Choice choose_slow() {
  return {"slow"};
}

Choices::Choice must_not_choose() {
  FAIL("a choice that is there was made again");
  return {};
}

}  // namespace

TEST_CASE("numerical properties are read from a candidate's name") {
  using Words = std::vector<std::string>;
  CHECK(numerical_properties("engine 37, 2=1") == Words{});
  CHECK(numerical_properties("free winograd") == Words{"winograd"});
  CHECK(numerical_properties("engine 5, 2=1, fft, nondeterministic, finished") == Words{"fft", "nondeterministic"});
}

TEST_CASE("a choice is made once for each work and list of candidates") {
  Choices choices("here");
  CHECK(choices.find_or("a", two, choose_fast) == "fast");
  CHECK(choices.find_or("a", two, must_not_choose) == "fast");
  CHECK(choices.find_or("a", {"slow", "fast", "newer"}, [] { return Choices::Choice{"newer"}; }) == "newer");
  CHECK(choices.take_used().size() == 2);
  CHECK(choices.take_used().empty());
  CHECK(choices.take_made().size() == 2);
}

TEST_CASE("a choice is reported with its times, once, by its work") {
  Choices choices("here");
  choices.find_or("a", two, [] { return Choices::Choice{"fast", true, {{"slow", 2.0}, {"fast", 1.0}}}; });
  choices.find_or("a", two, must_not_choose);
  const auto chosen = choices.take_chosen();
  REQUIRE(chosen.size() == 1);
  const Choices::Choice& choice = chosen.at("a");
  CHECK(choice.candidate == "fast");
  REQUIRE(choice.timed.size() == 2);
  CHECK(choice.timed[1].candidate == "fast");
  CHECK(choice.timed[1].seconds == 1.0);
  CHECK(choices.take_chosen().empty());
}

TEST_CASE("a choice made by another process is not made again") {
  Choices first("here"), second("here");
  first.find_or("a", two, choose_fast);
  const auto made = first.take_made().reliable;
  REQUIRE(made.size() == 1);
  CHECK(first.take_made().size() == 0);
  second.learn(made);
  CHECK(second.take_used().empty());
  CHECK(second.find_or("a", two, must_not_choose) == "fast");
  CHECK(second.take_used() == made);
  CHECK(second.take_made().size() == 0);
}

TEST_CASE("a learned name that is not among the candidates is not used") {
  Choices first("here"), second("here");
  first.find_or("a", two, choose_fast);
  auto known = first.take_made().reliable;
  known.begin()->second = "foreign";
  second.learn(known);
  CHECK(second.find_or("a", two, choose_slow) == "slow");
}

TEST_CASE("a preferred candidate is returned without timing where it is among the candidates") {
  Choices choices("here");
  CHECK(choices.find_or("a", two, choose_slow) == "slow");
  choices.prefer("fast");
  CHECK(choices.find_or("a", two, must_not_choose) == "fast");
  CHECK(choices.find_or("b", two, must_not_choose) == "fast");
  CHECK(choices.find_or("b", {"slow", "fair"}, choose_slow) == "slow");
  CHECK(choices.take_made().size() == 2);
}

TEST_CASE("agreed choices replace those that a rank has made or learned") {
  Choices choices("here");
  choices.find_or("a", two, choose_slow);
  auto agreed = choices.take_used();
  agreed.begin()->second = "fast";
  choices.learn(agreed);
  CHECK(choices.find_or("a", two, must_not_choose) == "slow");
  choices.agree(agreed);
  CHECK(choices.find_or("a", two, must_not_choose) == "fast");
  CHECK(choices.take_made().reliable == agreed);
}

TEST_CASE("a disturbed choice is used in its process but is not reliable") {
  Choices choices("here");
  CHECK(choices.find_or("a", two, [] { return Choices::Choice{"slow", false}; }) == "slow");
  CHECK(choices.find_or("a", two, must_not_choose) == "slow");
  const auto made = choices.take_made();
  CHECK(made.reliable.empty());
  CHECK(made.size() == 1);
}

TEST_CASE("a choice that depends on a disturbed choice is not reliable either") {
  Choices choices("here");
  const auto unreliable = [] { return Choices::Choice{"slow", false}; };
  const auto choose = [&] {
    choices.find_or("inner", two, unreliable);
    return Choices::Choice{"fast"};
  };
  choices.find_or("outer", two, choose);
  choices.find_or("later", two, choose);  // the inner choice exists by now
  choices.find_or("another", two, choose_fast);
  const auto made = choices.take_made();
  CHECK(made.reliable.size() == 1);
  CHECK(made.size() == 4);
}

TEST_CASE("autotuning returns the candidate with the shortest run, and the earlier of two equally fast ones") {
  const std::vector<double> seconds{3e-3, 1e-3, 0.98e-3, 2e-3};
  std::vector<int> runs(seconds.size(), 0);
  const auto run = [&](std::size_t i) {
    ++runs[i];
    return Run{seconds[i]};
  };
  const AutotuneResult result = autotune(seconds.size(), run);
  CHECK(result.winner == 1);
  CHECK(result.seconds == seconds);
  CHECK(runs == std::vector<int>{2, 11, 11, 2});
}

TEST_CASE("autotuning eliminates after one long run if clear, and ignores a first run that is long by chance") {
  std::vector<int> runs(3, 0);
  const auto run = [&](std::size_t i) {
    const bool first = runs[i]++ == 0;
    return Run{i == 0 ? 1.0 : i == 1 ? 0.2 : first ? 0.35 : 0.1};
  };
  CHECK(autotune(3, run).winner == 2);
  CHECK(runs == std::vector<int>{1, 2, 2});
  CHECK(autotune(1, [](std::size_t) -> Run { throw 0; }).winner == 0);
}

TEST_CASE("a candidate whose runs were all disturbed stays in autotuning until one is not") {
  int runs = 0;
  const auto run = [&](std::size_t i) {
    if (i == 0) return Run{2e-3};
    const bool disturbed = ++runs < 6;
    return Run{disturbed ? 5e-3 : 1e-3, disturbed};
  };
  const AutotuneResult finish = autotune(2, run);
  CHECK(finish.winner == 1);
  CHECK(finish.reliable);
  CHECK(runs == 6);
}

TEST_CASE("autotuning with an always disturbed candidate ends and is not reliable") {
  std::vector<int> runs(2, 0);
  const auto run = [&](std::size_t i) {
    ++runs[i];
    return Run{10e-3, i == 1};
  };
  const AutotuneResult finish = autotune(2, run);
  CHECK(finish.winner == 0);
  CHECK(!finish.reliable);
  CHECK(runs == std::vector<int>{15, 15});
}

TEST_CASE("longest_wait reports a thread that waits for a processor") {
  CHECK(platform::longest_wait({{"1", 2.0}, {"2", 1.0}}, {{"1", 2.25}, {"2", 1.5}, {"3", 0.125}}) == 0.5);
  CHECK(platform::longest_wait({{"1", 2.0}}, {{"2", 0.25}}) == 0.25);
  const platform::WaitingTimes before = platform::waiting_times();
  if (before.empty()) return ddlbench::test::skip("the system does not tell how long threads wait");
  std::atomic<bool> ended = false;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i <= std::thread::hardware_concurrency(); ++i) {
    threads.emplace_back([&] {
      while (!ended) continue;
    });
  }
  double longest = 0;
  for (int turn = 0; turn < 2000 && longest < 1e-3; ++turn) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));  // this thread does not compete for a processor
    longest = platform::longest_wait(before, platform::waiting_times());
  }
  ended = true;
  for (auto& thread : threads) thread.join();
  CHECK(longest >= 1e-3);
}

TEST_CASE("scratch memory grows, keeps its size, and is freed with its last reference") {
  Choices choices("here");
  const auto held = choices.scratch();
  void* const large = held->reserve(1 << 20);
  CHECK(choices.scratch()->reserve(64) == large);
  CHECK(choices.scratch() == held);
}
