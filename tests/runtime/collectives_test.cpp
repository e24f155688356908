#include "runtime/collectives.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "base/error.h"
#include "catch.h"
#include "plans.h"

using namespace ddlbench;
using collectives::Algorithm;

namespace {

/// Returns the choices of each of the plan's ranks, run as threads.
std::vector<std::vector<runtime::CollectiveChoice>> choices_of(const program::Plan& plan,
                                                               std::optional<Algorithm> wanted) {
  std::vector<std::vector<runtime::CollectiveChoice>> all(static_cast<std::size_t>(plan.ranks()));
  comm::find_transport("threads").launch(plan.ranks(), {}, [&](comm::Communicator& communicator) {
    const auto device = kernels::make_device("reference", {});
    all[static_cast<std::size_t>(communicator.rank())] =
        runtime::choose_collectives(plan, *device, communicator, wanted);
  });
  return all;
}

std::vector<Algorithm> algorithms_in(const program::Plan& plan) {
  std::vector<Algorithm> found;
  for (const program::Role& role : plan.roles) {
    for (const program::Instruction& instruction : role.train.bodies.front()) {
      const auto* call = std::get_if<program::CollectiveCall>(&instruction.action);
      if (call != nullptr) found.push_back(call->algorithm);
    }
  }
  return found;
}

}  // namespace

TEST_CASE("timed collectives get an algorithm of the transport, the same on all ranks") {
  for (const int ranks : {2, 3}) {
    program::Plan plan = test::data_parallel_plan(ranks);
    const auto all = choices_of(plan, std::nullopt);
    REQUIRE(!all[0].empty());
    for (const auto& own : all) {
      REQUIRE(own.size() == all[0].size());
      for (std::size_t i = 0; i < own.size(); ++i) {
        CHECK(own[i].key == all[0][i].key);
        CHECK(own[i].algorithm == all[0][i].algorithm);
        for (const Algorithm algorithm : collectives::algorithms(graph::Collective::all_reduce))
          CHECK(own[i].what.find(algorithm.name() + " ") != std::string::npos);
        CHECK(own[i].what.find(" ms") != std::string::npos);
      }
    }
    const std::size_t before = plan.choices.size();
    runtime::apply(all[0], plan);
    CHECK(plan.choices.size() == before + all[0].size());
    for (const Algorithm algorithm : algorithms_in(plan)) CHECK(algorithm != collectives::native());
  }
}

TEST_CASE("collectives get the algorithm that is requested") {
  program::Plan plan = test::data_parallel_plan(2);
  const Algorithm doubling = collectives::find_algorithm("recursive_doubling");
  runtime::apply(choices_of(plan, doubling)[0], plan);
  const std::vector<Algorithm> found = algorithms_in(plan);
  REQUIRE(!found.empty());
  CHECK(std::all_of(found.begin(), found.end(), [&](Algorithm a) { return a == doubling; }));
}

TEST_CASE("each size of a collective can have its own algorithm") {
  program::Plan plan = test::data_parallel_plan(2);
  auto& body = plan.roles[0].train.bodies.front();
  const auto sum = std::find_if(body.begin(), body.end(), [](const program::Instruction& instruction) {
    return std::holds_alternative<program::CollectiveCall>(instruction.action);
  });
  REQUIRE(sum != body.end());
  program::Instruction small = *sum;
  auto& call = std::get<program::CollectiveCall>(small.action);
  call.input.type.shape = call.output.type.shape = {1};
  body.insert(sum, small);
  std::vector<runtime::CollectiveChoice> choices = choices_of(plan, std::nullopt)[0];
  REQUIRE(choices.size() == 2);
  const bool small_first = choices[0].what.find("all_reduce of 1 f32 over 2: ") == 0;
  CHECK(choices[small_first ? 0 : 1].what.find("all_reduce of 1 f32 over 2: ") == 0);
  const Algorithm doubling = collectives::find_algorithm("recursive_doubling");
  choices[small_first ? 0 : 1].algorithm = doubling;
  choices[small_first ? 1 : 0].algorithm = Algorithm();
  runtime::apply(choices, plan);
  CHECK(algorithms_in(plan) == std::vector<Algorithm>{doubling, Algorithm()});
}

TEST_CASE("native collectives are rejected if the transport has none") {
  try {
    choices_of(test::data_parallel_plan(2), collectives::native());
    FAIL("no exception");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("threads") != std::string::npos);
    CHECK(std::string(error.what()).find("devices/collectives") != std::string::npos);
  }
}

TEST_CASE("a plan with one rank has nothing to choose") {
  CHECK(choices_of(test::two_layer_plan(), std::nullopt)[0].empty());
}

TEST_CASE("progress is called after each timed run") {
  const program::Plan plan = test::data_parallel_plan(2);
  std::array<int, 2> runs{};  // checked by one thread
  comm::find_transport("threads").launch(2, {}, [&](comm::Communicator& communicator) {
    const auto device = kernels::make_device("reference", {});
    int& own = runs.at(static_cast<std::size_t>(communicator.rank()));
    runtime::choose_collectives(plan, *device, communicator, {}, [&own] { ++own; });
  });
  for (const int of_rank : runs) {
    CHECK(of_rank % 6 == 0);  // five runs of each algorithm, and one to warm up
    CHECK(of_rank >= 12);
  }
}
