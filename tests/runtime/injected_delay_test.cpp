#include <algorithm>
#include <array>
#include <cmath>
#include <thread>

#include "catch.h"
#include "plans.h"
#include "program/budget.h"
#include "ranks.h"
#include "runtime/recorder.h"
#include "slow_communicator.h"

using namespace ddlbench;
using namespace ddlbench::program;
using namespace ddlbench::runtime;
using namespace ddlbench::test;
using std::chrono::milliseconds;

namespace {

constexpr milliseconds delay{60};
constexpr int rounds = 11;

/// Where to sleep in every second step. Only rank 0 sleeps, except that a slow link affects all ranks.
struct Injection {
  std::string instruction;  ///< the hook sleeps before this instruction
  bool input = false;
  bool link = false;
};

/// One part of a rank's budgets over all rounds, for both kinds of steps (0: without delay).
using PartTimes = std::array<std::vector<double>, 2>;
using RankParts = std::array<PartTimes, Budget::parts.size()>;

double quantile(std::vector<double> values, double fraction) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), place, values.end());
  return *place;
}

/// Runs steps with and without the delay alternately on two ranks, with a barrier between steps. Returns the parts of
/// each rank's budgets.
std::array<RankParts, 2> budgets_with(const Injection& injection) {
  const Plan plan = completed(data_parallel_plan(2));
  std::array<std::vector<StepTimeline>, 2> timelines;
  comm::find_transport("threads").launch(2, {}, [&](comm::Communicator& world) {
    milliseconds link{0};
    SlowCommunicator slow(world, link);
    const auto device = kernels::make_device("reference", {});
    Engine engine(plan, *device, slow);
    const auto barrier = world.barrier();
    bool sleepy = false;
    if (world.rank() == 0 && !injection.instruction.empty()) {
      engine.set_hook([&](Mode, const Instruction& instruction) {
        if (sleepy && instruction.name == injection.instruction) std::this_thread::sleep_for(delay);
      });
    }
    engine.initialize(1);
    for (int step = 0; step < 2 * rounds; ++step) {
      sleepy = step % 2 == 1;
      link = sleepy && injection.link ? delay : milliseconds(0);
      comm::run(barrier);
      if (sleepy && injection.input && world.rank() == 0) {
        const std::int64_t begin = now();
        std::this_thread::sleep_for(delay);
        engine.note_input(begin, now());
      }
      load_batch(engine, Mode::train, step, world.rank());
      engine.step(Mode::train, scalars_of(step));
      timelines[static_cast<std::size_t>(world.rank())].push_back(engine.timeline());
    }
  });
  const BudgetSplitter splitter(plan);
  std::array<RankParts, 2> ranks;
  for (std::size_t step = 0; step < 2 * rounds; ++step) {
    const auto budgets = splitter.split({timelines[0][step], timelines[1][step]});
    for (std::size_t rank = 0; rank < 2; ++rank) {
      const Budget& b = budgets[rank];
      std::size_t i = 0;
      for (const auto& [name, part, help] : Budget::parts) {
        CHECK(b.*part >= 0);
        ranks[rank][i++][step % 2].push_back(b.*part);
      }
      const StepTimeline& timeline = timelines[rank][step];
      CHECK(b.total() == Approx(static_cast<double>(timeline.end - timeline.begin) * 1e-9).epsilon(1e-12));
    }
  }
  return ranks;
}

/// Returns the time that the delay adds. Other load on the machine only adds to a part, so the minima over the rounds
/// count; except the bubble, which such load can also shorten by delaying the rank that waits, so its medians do.
double added(const PartTimes& part, bool is_bubble) {
  const double fraction = is_bubble ? 0.5 : 0;
  return quantile(part[1], fraction) - quantile(part[0], fraction);
}

/// Checks that the delay adds 60 ± 6 ms to `expected`, and less than 6 ms to every other part. Other load on the
/// machine widens this to at most 12 ms, by the interquartile range of the part without delay.
void check_rank(const std::array<RankParts, 2>& ranks, std::size_t rank, double Budget::*expected) {
  std::size_t i = 0;
  for (const auto& [name, part, help] : Budget::parts) {
    INFO("rank " << rank << ", " << name);
    const PartTimes& values = ranks[rank][i++];
    const double noise = std::min(0.006, quantile(values[0], 0.75) - quantile(values[0], 0.25));
    const double wanted = part == expected ? 0.060 : 0.0;
    CHECK(std::abs(added(values, part == &Budget::bubble) - wanted) < 0.006 + noise);
  }
}

}  // namespace

TEST_CASE("a delay in compute appears in its own column, and as a bubble on the waiting rank") {
  const auto forward = budgets_with({"fc"});
  check_rank(forward, 0, &Budget::forward);
  check_rank(forward, 1, &Budget::bubble);
  const auto backward = budgets_with({"fc backward weight"});
  check_rank(backward, 0, &Budget::backward);
  check_rank(backward, 1, &Budget::bubble);
}

TEST_CASE("a delay in the optimizer appears in its own column, and no rank waits for it") {
  const auto ranks = budgets_with({"update fc"});
  check_rank(ranks, 0, &Budget::optimizer);
  check_rank(ranks, 1, nullptr);
}

TEST_CASE("a delay before a communication is communication on its rank and a bubble on the other") {
  const auto ranks = budgets_with({"sum gradients"});
  check_rank(ranks, 0, &Budget::communication);
  check_rank(ranks, 1, &Budget::bubble);
}

TEST_CASE("a delay of the link is communication on all ranks") {
  const auto ranks = budgets_with({"", false, true});
  check_rank(ranks, 0, &Budget::communication);
  check_rank(ranks, 1, &Budget::communication);
}

TEST_CASE("a delay of the input appears in its own column, and as a bubble on the other rank") {
  const auto ranks = budgets_with({"", true, false});
  check_rank(ranks, 0, &Budget::input);
  check_rank(ranks, 1, &Budget::bubble);
}
