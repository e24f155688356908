#include "kernels/choices.h"

#include <vector>

#include "catch.h"
#include "kernels/host_device.h"
#include "kernels/race.h"
#include "kernels/scratch_memory.h"

using namespace ddlbench::kernels;

namespace {

const std::vector<std::string> two{"slow", "fast"};

std::string must_not_choose() {
  FAIL("a choice that is there was made again");
  return "";
}

}  // namespace

TEST_CASE("a choice is made once for each work and list of candidates") {
  Choices choices("here");
  CHECK(choices.find_or("a", two, [] { return "fast"; }) == "fast");
  CHECK(choices.find_or("a", two, must_not_choose) == "fast");
  CHECK(choices.find_or("a", {"slow", "fast", "newer"}, [] { return "newer"; }) == "newer");
  CHECK(choices.take_used().size() == 2);
  CHECK(choices.take_used().empty());
  CHECK(choices.take_made().size() == 2);
}

TEST_CASE("what another process has chosen is not chosen again") {
  Choices first("here"), second("here");
  first.find_or("a", two, [] { return "fast"; });
  const auto made = first.take_made();
  REQUIRE(made.size() == 1);
  CHECK(first.take_made().empty());
  second.learn(made);
  CHECK(second.take_used().empty());
  CHECK(second.find_or("a", two, must_not_choose) == "fast");
  CHECK(second.take_used() == made);
  CHECK(second.take_made().empty());
}

TEST_CASE("a name that is none of the candidates' is not used") {
  Choices first("here"), second("here");
  first.find_or("a", two, [] { return "fast"; });
  auto known = first.take_made();
  known.begin()->second = "foreign";
  second.learn(known);
  CHECK(second.find_or("a", two, [] { return "slow"; }) == "slow");
}

TEST_CASE("what is agreed on replaces what a rank has chosen or learned itself") {
  Choices choices("here");
  choices.find_or("a", two, [] { return "slow"; });
  auto agreed = choices.take_used();
  agreed.begin()->second = "fast";
  choices.learn(agreed);
  CHECK(choices.find_or("a", two, must_not_choose) == "slow");
  choices.agree(agreed);
  CHECK(choices.find_or("a", two, must_not_choose) == "fast");
  CHECK(choices.take_made() == agreed);
}

TEST_CASE("a race is won by the shortest run, and equals do not change places") {
  const std::vector<double> seconds{3e-3, 1e-3, 0.98e-3, 2e-3};
  std::vector<int> runs(seconds.size(), 0);
  const auto run = [&](std::size_t i) {
    ++runs[i];
    return seconds[i];
  };
  CHECK(race(seconds.size(), run) == 1);
  CHECK(runs == std::vector<int>{2, 11, 11, 2});
}

TEST_CASE("in a race one long run suffices where it is clear, and a first run that is long by chance does not matter") {
  std::vector<int> runs(3, 0);
  const auto run = [&](std::size_t i) {
    const bool first = runs[i]++ == 0;
    return i == 0 ? 1.0 : i == 1 ? 0.2 : first ? 0.35 : 0.1;
  };
  CHECK(race(3, run) == 2);
  CHECK(runs == std::vector<int>{1, 2, 2});
  CHECK(race(1, [](std::size_t) -> double { throw 0; }) == 0);
}

TEST_CASE("scratch memory grows, keeps what it has, and is gone with its last holder") {
  Choices choices("here");
  const auto held = choices.scratch();
  void* const large = held->reserve(1 << 20);
  CHECK(choices.scratch()->reserve(64) == large);
  CHECK(choices.scratch() == held);
}

TEST_CASE("a processor has an identity, which is always the same") {
  CHECK(processor_identity() == processor_identity());
  CHECK(processor_identity().find(processor_name()) == 0);
}
