#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "bench/case/measure.h"
#include "catch.h"
#include "small_case.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

constexpr auto delay = std::chrono::milliseconds(60);

/// Returns 60 ± 6 ms, in seconds; 0 ± 6 ms if not `here`.
Approx delayed(bool here = true) {
  return Approx(here ? 60e-3 : 0).margin(6e-3);
}

using Part = double program::Budget::*;
constexpr Part budget_parts[] = {&program::Budget::forward, &program::Budget::backward, &program::Budget::optimizer,
                                 &program::Budget::input, &program::Budget::rest};

/// Wraps a data set; the first sample of each batch is delayed.
class LateData final : public workloads::Dataset {
 public:
  LateData(std::shared_ptr<const workloads::Dataset> data, std::int64_t batch)
      : data_(std::move(data)), batch_(batch) {}
  const workloads::SampleShape& shape() const override { return data_->shape(); }
  std::int64_t size() const override { return data_->size(); }
  void read(const workloads::SampleDraw& draw, void* values, std::int32_t* labels) const override {
    if (reads_++ % batch_ == 0) std::this_thread::sleep_for(delay);
    data_->read(draw, values, labels);
  }

 private:
  std::shared_ptr<const workloads::Dataset> data_;
  std::int64_t batch_;
  mutable std::int64_t reads_ = 0;  // only a single loader worker reads
};

/// Returns the budget of a one-rank case in which the first instruction of phase `late` is delayed.
program::Budget budget_with(const SmallCase& small, const Setup& setup, std::optional<program::Phase> late) {
  program::Plan plan = compile(setup, small.which.strategy.choice, 1);
  program::Budget budget;
  comm::find_transport("threads").launch(1, {}, [&](comm::Communicator& communicator) {
    const auto device = kernels::make_device("reference", {1});
    complete(plan, *device, communicator, Sharing::one_plan);
    Trainer trainer(setup, plan, *device, communicator);
    std::string target;
    for (const program::Instruction& instruction : plan.role(0).train.bodies.front()) {
      if (target.empty() && late && instruction.phase == *late) target = instruction.name;
    }
    if (late) REQUIRE_FALSE(target.empty());
    trainer.engine().set_hook([target](runtime::Mode, const program::Instruction& instruction) {
      if (instruction.name == target) std::this_thread::sleep_for(delay);
    });
    const Counted counted = run_measured_steps(trainer, nullptr);
    budget = step_times(plan, gather_steps(communicator, counted.steps), 1).mean;
  });
  return budget;
}

/// The minimum of each part, and of the total, over several rounds: other processes on the machine can only add time.
struct Quietest {
  program::Budget budget;
  double total = 0;
};

/// Runs rounds until the last three did not lower the total.
Quietest quietest(const SmallCase& small, const Setup& setup, std::optional<program::Phase> late) {
  constexpr int least_rounds = 6, most_rounds = 50;
  const program::Budget first = budget_with(small, setup, late);
  Quietest least{first, first.total()};
  for (int rounds = 1, since_lower = 0; rounds < most_rounds && (rounds < least_rounds || since_lower < 3); ++rounds) {
    const program::Budget budget = budget_with(small, setup, late);
    since_lower = budget.total() < 0.98 * least.total ? 0 : since_lower + 1;
    for (const Part part : budget_parts) least.budget.*part = std::min(least.budget.*part, budget.*part);
    least.total = std::min(least.total, budget.total());
  }
  return least;
}

}  // namespace

TEST_CASE("A delay appears only in its own part of the budget", "[delay]") {
  SmallCase small("single");
  // The shorter a round, the more often nothing disturbs it.
  small.experiment.measure = without_prediction({1, 2, 1, 0, 30});
  Setup setup = prepare(small.experiment, small.which);
  const Quietest without = quietest(small, setup, std::nullopt);

  const auto require_in = [&](const Quietest& found, Part part) {
    for (const Part each : budget_parts) CHECK(found.budget.*each - without.budget.*each == delayed(each == part));
    CHECK(found.total - without.total == delayed());
  };
  SECTION("forward") {
    require_in(quietest(small, setup, program::Phase::forward), &program::Budget::forward);
  }
  SECTION("backward") {
    require_in(quietest(small, setup, program::Phase::backward_weight), &program::Budget::backward);
  }
  SECTION("optimizer") {
    require_in(quietest(small, setup, program::Phase::optimizer), &program::Budget::optimizer);
  }
  SECTION("input") {
    setup.training = std::make_shared<LateData>(setup.training, small.which.global_batch);
    // The loader sleeps while the step computes: a step lasts as long as the delay, and waits for what is left of it.
    const Quietest found = quietest(small, setup, std::nullopt);
    CHECK(found.total == delayed());
    for (const Part each : budget_parts)
      if (each != &program::Budget::input) CHECK(found.budget.*each - without.budget.*each == delayed(false));
  }
  SECTION("input without workers") {
    small.experiment.workload.loader.workers = 0;
    setup.training = std::make_shared<LateData>(setup.training, small.which.global_batch);
    require_in(quietest(small, setup, std::nullopt), &program::Budget::input);
  }
}
