#include "runtime/agree_on_choices.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "catch.h"
#include "devices.h"
#include "graph/ops/shape.h"
#include "kernels/binding.h"
#include "plans.h"
#include "runtime/engine.h"

using namespace ddlbench;
using kernels::Choices;

namespace {

const std::vector<std::string> candidates{"left", "right", "left by winograd"};

/// A device as in a process of its own, with its own choices. It finds `favourite` the fastest candidate for all work.
class ChoosingDevice final : public test::WrappedDevice {
 public:
  ChoosingDevice(const std::string& context, std::string favourite)
      : choices_(context), favourite_(std::move(favourite)) {}

  Choices* choices() override { return &choices_; }
  bool binds_by_alignment() const override { return true; }
  std::unique_ptr<kernels::Kernel> bind(const kernels::Binding& binding) override {
    const std::string work = kernels::describe(binding) + kernels::describe_alignment(binding);
    bound[work] = choices_.find_or(work, candidates, [&] {
      ++made;
      if (asks_for_shared) choices_.find_or("shared", candidates, [&] { return Choices::Choice{favourite_}; });
      return Choices::Choice{favourite_, made != unreliable};
    });
    return WrappedDevice::bind(binding);
  }

  int made = 0;
  bool asks_for_shared = false;  ///< also requests a choice that belongs to no plan
  int unreliable = 0;            ///< the number of the choice that counts as disturbed by other processes; 0: none
  std::map<std::string, std::string> bound;  ///< the candidate that each work used when it was last bound

 private:
  Choices choices_;
  std::string favourite_;
};

struct ChoiceOutcome {
  runtime::AgreedChoices agreed;
  std::map<std::string, std::string> bound;
  std::size_t made = 0;        ///< before the ranks agreed
  std::size_t made_later = 0;  ///< when the rank then bound all of its own work
};

/// Runs agree_on_choices on threads whose devices share nothing. `favourites` and `contexts` are by rank.
std::vector<ChoiceOutcome> outcomes_of(const program::Plan& plan, const std::vector<std::string>& favourites,
                                       const std::vector<std::string>& contexts,
                                       const Choices::Table& known_to_last = {}) {
  std::vector<ChoiceOutcome> outcomes(static_cast<std::size_t>(plan.ranks()));
  comm::find_transport("threads").launch(plan.ranks(), {}, [&](comm::Communicator& world) {
    const auto rank = static_cast<std::size_t>(world.rank());
    ChoosingDevice device(contexts[rank], favourites[rank]);
    if (rank + 1 == outcomes.size()) device.choices()->learn(known_to_last);
    ChoiceOutcome& outcome = outcomes[rank];
    outcome.agreed = runtime::agree_on_choices(plan, device, world);
    outcome.made = device.made;
    device.bound.clear();
    runtime::workspace_costs(plan, device, world);
    outcome.bound = device.bound;
    outcome.made_later = device.made - outcome.made;
  });
  return outcomes;
}

std::map<std::string, std::string> all_by(const std::string& candidate, std::map<std::string, std::string> bound) {
  for (auto& [work, name] : bound) name = candidate;
  return bound;
}

}  // namespace

TEST_CASE("ranks with one program use the choices of the first rank and time nothing themselves") {
  const auto outcomes =
      outcomes_of(test::data_parallel_plan(3), {"right", "left", "left"}, {"here", "here", "here"}, {});
  REQUIRE(!outcomes[0].bound.empty());
  CHECK(outcomes[0].made == outcomes[0].bound.size());
  CHECK(outcomes[0].agreed.own.size() == outcomes[0].bound.size());
  for (const ChoiceOutcome& outcome : outcomes) {
    CHECK(outcome.bound == all_by("right", outcomes[0].bound));
    CHECK(outcome.made_later == 0);
    CHECK(outcome.agreed.used == outcomes[0].made);
    CHECK(outcome.agreed.made == outcomes[0].made);
  }
  CHECK(outcomes[1].made == 0);
  CHECK(outcomes[2].made == 0);
  CHECK(outcomes[2].agreed.own.empty());
}

TEST_CASE("ranks with different programs time their own work and agree on what they share") {
  const auto outcomes = outcomes_of(test::pipeline_plan(), {"right", "left"}, {"here", "here"});
  CHECK(outcomes[0].made > 0);
  CHECK(outcomes[1].made > 0);
  for (const ChoiceOutcome& outcome : outcomes) {
    CHECK(outcome.made_later == 0);
    CHECK(outcome.agreed.made == outcomes[0].made + outcomes[1].made);
  }
  for (const auto& [work, name] : outcomes[1].bound) {
    CHECK(name == (outcomes[0].bound.contains(work) ? "right" : "left"));
  }
}

TEST_CASE("choices with algorithms other than plain sums are counted over all ranks") {
  const auto plan = test::pipeline_plan();
  const auto outcomes = outcomes_of(plan, {"left by winograd", "right"}, {"here", "there"});
  for (const ChoiceOutcome& outcome : outcomes) {
    REQUIRE(outcome.agreed.numerical_properties.size() == 1);
    CHECK(outcome.agreed.numerical_properties.at("winograd") == outcomes[0].bound.size());
  }
  CHECK(outcomes_of(plan, {"left", "right"}, {"here", "there"})[0].agreed.numerical_properties.empty());
}

TEST_CASE("the same work on operands with two alignments is two choices") {
  test::ProgramWriter w;
  const auto kept = w.persistent("kept", program::MemoryClass::parameters, 8);
  const auto numbers = w.persistent("numbers", program::MemoryClass::activations, 64);
  for (const std::int64_t offset : {0, 4, 16}) {
    const auto at = test::operand(numbers, {2}, offset);
    w.compute("add", program::Phase::forward, std::make_shared<graph::Add>(), {at, at}, {at});
  }
  const auto outcomes = outcomes_of(test::two_element_plan(w.program, kept), {"left"}, {"here"});
  CHECK(outcomes[0].bound.size() == 2);
  CHECK(outcomes[0].made == 2);
  CHECK(outcomes[0].made_later == 0);
}

TEST_CASE("a choice known only to a later rank is replaced by the choice of the first rank") {
  Choices known("here");
  const auto first = outcomes_of(test::data_parallel_plan(2), {"left", "left"}, {"here", "here"});
  for (const auto& [work, name] : first[0].bound)
    known.find_or(work, candidates, [] { return Choices::Choice{"left"}; });
  const auto outcomes =
      outcomes_of(test::data_parallel_plan(2), {"right", "right"}, {"here", "here"}, known.take_made().reliable);
  for (const ChoiceOutcome& outcome : outcomes) CHECK(outcome.bound == all_by("right", outcomes[0].bound));
}

TEST_CASE("ranks on different machines choose separately") {
  const auto outcomes =
      outcomes_of(test::data_parallel_plan(3), {"right", "left", "right"}, {"here", "there", "there"});
  CHECK(outcomes[0].bound == all_by("right", outcomes[0].bound));
  CHECK(outcomes[1].bound == all_by("left", outcomes[0].bound));
  CHECK(outcomes[2].bound == outcomes[1].bound);
  CHECK(outcomes[2].made == 0);
  CHECK(outcomes[0].agreed.made == outcomes[0].made + outcomes[1].made);
}

TEST_CASE("a choice timed under disturbance is agreed on but not kept") {
  const auto plan = test::data_parallel_plan(2);
  comm::find_transport("threads").launch(plan.ranks(), {}, [&](comm::Communicator& world) {
    ChoosingDevice device("here", "left");
    device.unreliable = 1;
    const auto agreed = runtime::agree_on_choices(plan, device, world);
    require(agreed.made > 1 && agreed.unreliable == 1, "both ranks count one");
    require(agreed.own.size() == (world.rank() == 0 ? agreed.made - 1 : 0), "it is not among what is kept");
    const int made = device.made;
    runtime::workspace_costs(plan, device, world);
    require(device.made == made, "and is not made again");
  });
}

TEST_CASE("a choice that differs from an earlier rank's choice is not kept") {
  const auto plan = test::pipeline_plan();
  comm::find_transport("threads").launch(plan.ranks(), {}, [&](comm::Communicator& world) {
    ChoosingDevice device("here", world.rank() == 0 ? "left" : "right");
    device.asks_for_shared = true;
    const auto own = runtime::agree_on_choices(plan, device, world).own;
    const auto shared =
        std::count_if(own.begin(), own.end(), [](const auto& o) { return o.first.starts_with("shared"); });
    require(shared == (world.rank() == 0 ? 1 : 0), "the first rank alone keeps it");
    require(own.size() > static_cast<std::size_t>(shared), "and each what it alone has chosen");
  });
}

TEST_CASE("devices without choices have nothing to agree on") {
  comm::find_transport("threads").launch(2, {}, [](comm::Communicator& world) {
    const auto device = kernels::make_device("reference", {});
    const auto agreed = runtime::agree_on_choices(test::data_parallel_plan(2), *device, world);
    require(agreed.used == 0 && agreed.own.empty(), "a reference device chose");
  });
}
