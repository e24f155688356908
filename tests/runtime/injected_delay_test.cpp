#include <algorithm>
#include <array>
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

constexpr milliseconds delay{20};
constexpr int rounds = 15;

/// Where to sleep in every second step. Only rank 0 sleeps, except that a slow link affects all ranks.
struct Injection {
  std::string instruction;  ///< the hook sleeps before this instruction
  bool input = false;
  bool link = false;
};

/// Runs steps with and without the delay alternately on two ranks, with a barrier between steps. Returns the budget of
/// each rank for both kinds of steps (0: without delay). Each part is the minimum over all rounds, because other load
/// on the machine only adds to it; except the bubble, which such load can also shorten by delaying the rank that waits,
/// so it is the median.
std::array<std::vector<Budget>, 2> undisturbed(const Injection& injection) {
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
  std::array<std::vector<Budget>, 2> best;
  std::array<std::array<std::vector<double>, 2>, 2> bubbles;  // by kind and rank
  for (std::size_t step = 0; step < 2 * rounds; ++step) {
    std::vector<Budget>& kind = best[step % 2];
    const auto budgets = splitter.split({timelines[0][step], timelines[1][step]});
    if (kind.empty()) kind = budgets;
    for (std::size_t rank = 0; rank < 2; ++rank) {
      const Budget& b = budgets[rank];
      for (const auto& [name, part, help] : Budget::parts) {
        CHECK(b.*part >= 0);
        kind[rank].*part = std::min(kind[rank].*part, b.*part);
      }
      const StepTimeline& timeline = timelines[rank][step];
      CHECK(b.total() == Approx(static_cast<double>(timeline.end - timeline.begin) * 1e-9).epsilon(1e-12));
      bubbles[step % 2][rank].push_back(b.bubble);
    }
  }
  for (std::size_t kind = 0; kind < 2; ++kind) {
    for (std::size_t rank = 0; rank < 2; ++rank) {
      std::vector<double>& of = bubbles[kind][rank];
      std::nth_element(of.begin(), of.begin() + rounds / 2, of.end());
      best[kind][rank].bubble = of[rounds / 2];
    }
  }
  return best;
}

/// Checks that the delay adds 20 ± 2 ms to `expected`, and less than 2 ms to every other part.
void check_rank(const std::array<std::vector<Budget>, 2>& best, std::size_t rank, double Budget::*expected) {
  for (const auto& [name, part, help] : Budget::parts) {
    INFO("rank " << rank << ", " << name);
    const double more = best[1][rank].*part - best[0][rank].*part;
    const double wanted = part == expected ? 0.020 : 0.0;
    CHECK(more > wanted - 0.002);
    CHECK(more < wanted + 0.002);
  }
}

}  // namespace

TEST_CASE("a delay in compute appears in its own column, and as a bubble on the waiting rank") {
  const auto forward = undisturbed({"fc"});
  check_rank(forward, 0, &Budget::forward);
  check_rank(forward, 1, &Budget::bubble);
  const auto backward = undisturbed({"fc backward weight"});
  check_rank(backward, 0, &Budget::backward);
  check_rank(backward, 1, &Budget::bubble);
}

TEST_CASE("a delay in the optimizer appears in its own column, and no rank waits for it") {
  const auto best = undisturbed({"update fc"});
  check_rank(best, 0, &Budget::optimizer);
  check_rank(best, 1, nullptr);
}

TEST_CASE("a delay before a communication is communication on its rank and a bubble on the other") {
  const auto best = undisturbed({"sum gradients"});
  check_rank(best, 0, &Budget::communication);
  check_rank(best, 1, &Budget::bubble);
}

TEST_CASE("a delay of the link is communication on all ranks") {
  const auto best = undisturbed({"", false, true});
  check_rank(best, 0, &Budget::communication);
  check_rank(best, 1, &Budget::communication);
}

TEST_CASE("a delay of the input appears in its own column, and as a bubble on the other rank") {
  const auto best = undisturbed({"", true, false});
  check_rank(best, 0, &Budget::input);
  check_rank(best, 1, &Budget::bubble);
}
