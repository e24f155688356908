#include "program/cadence.h"

#include <vector>

#include "builder.h"
#include "catch.h"
#include "program/account.h"
#include "program/check.h"
#include "program/passes.h"

namespace ddlbench::program {
namespace {

const Cadence ramped{{{2, 3}}, {{0, 2}, {1, 1}}};

/// A plan whose body 0 begins with an update with the gradient of the step before; body 1 is without it.
Plan late_updates() {
  test::Builder b;
  const BufferId w = b.persistent("w", 4), g = b.persistent("g", 4, MemoryClass::gradients);
  b.compute("update", {{g}}, {{w}}).steps_back = 1;
  b.compute("backward", {{w}}, {{g}});
  const Instructions first{b.program.bodies.front().back()};
  b.program.bodies.push_back(first);
  return test::completed({b.program});
}

}  // namespace

TEST_CASE("a cadence runs its ramp once and then its cycle again and again") {
  std::vector<int> bodies;
  for (std::int64_t step = 0; step < 10; ++step) bodies.push_back(ramped.body(step));
  CHECK(bodies == std::vector{2, 2, 2, 0, 0, 1, 0, 0, 1, 0});
  CHECK(ramped.ramp_steps() == 3);
  CHECK(ramped.cycle_steps() == 3);
  CHECK(ramped.steps_of_bodies(3) == std::vector<std::int64_t>{2, 1, 0});
  CHECK(Cadence{}.body(1'000'000'007) == 0);
}

TEST_CASE("after a prologue, a cadence runs its fill instead of the bodies of these steps") {
  Cadence cadence = ramped;
  cadence.fill = {4, 3};
  std::vector<int> bodies;
  for (std::int64_t step = 0; step < 5; ++step) bodies.push_back(cadence.body(step, step));
  for (std::int64_t since = 0; since < 3; ++since) bodies.push_back(cadence.body(5 + since, since));
  CHECK(bodies == std::vector{4, 3, 2, 0, 0, 4, 3, 0});
  CHECK(cadence.body(5) == 1);
}

TEST_CASE("what a step reads must be written by the fill, if a step before does not") {
  Plan plan = late_updates();
  REQUIRE(check(plan).size() == 1);
  CHECK(to_string(check(plan).front()).find("reads bytes 0 to 16 of 'g' before they are written") != std::string::npos);
  plan.cadence.fill = {1};
  CHECK(check(plan).empty());
  plan.cadence.fill = {2};
  CHECK(to_string(check(plan).front()).find("its cadence runs body 2") != std::string::npos);
}

TEST_CASE("what the epilogue reads must be written by the first step of a longer fill") {
  test::Builder b;
  const BufferId w = b.persistent("w", 4), early = b.persistent("early", 4, MemoryClass::gradients),
                 late = b.persistent("late", 4, MemoryClass::gradients);
  const auto section = [&](auto&& write) {
    Instructions written;
    b.section = &written;
    write();
    return written;
  };
  const auto update = [&] { b.compute("update", {{early}, {late}}, {{w}}); };
  const auto make = [&](BufferId gradient) { b.compute("make", {{w}}, {{gradient}}); };
  b.program.bodies.front() = section([&] { update(), make(early), make(late); });
  b.program.bodies.push_back(section([&] { make(early); }));
  b.program.bodies.push_back(section([&] { make(late); }));
  b.program.epilogue = section(update);
  Plan plan = test::completed({b.program});
  plan.cadence.fill = {1, 2};
  REQUIRE(check(plan).size() == 1);
  CHECK(to_string(check(plan).front()).find("epilogue[0] 'update': reads bytes 0 to 16 of 'late' before they are") !=
        std::string::npos);
  plan.cadence.fill = {1};
  plan.roles.front().train.bodies[1] = section([&] { make(early), make(late); });
  CHECK(check(plan).empty());
}

TEST_CASE("only a body of a training that follows another step completes a previous step") {
  Plan plan = late_updates();
  plan.cadence.fill = {1};
  CHECK(check(plan).empty());
  const auto finding = [&](Instruction& changed) {
    changed.steps_back = 1;
    const std::vector<Finding> found = check(plan);
    changed.steps_back = 0;
    return found.empty() ? "none" : to_string(found.front());
  };
  Program& training = plan.roles.front().train;
  training.epilogue = {training.bodies[0][0]};
  CHECK(finding(training.epilogue[0]).find("only the body of a training can do so") != std::string::npos);
  CHECK(finding(training.bodies[1][0]).find("but its body of the fill follows 0 steps") != std::string::npos);
}

TEST_CASE("a cadence drains as many steps as there were") {
  Cadence cadence;
  cadence.drain = {{1}, {2, 3}};
  CHECK(cadence.drain_after(0).empty());
  CHECK(cadence.drain_after(1) == std::vector{1});
  CHECK(cadence.drain_after(2) == std::vector{2, 3});
  CHECK(cadence.drain_after(9) == std::vector{2, 3});
  CHECK(Cadence{}.drain_after(9).empty());
}

TEST_CASE("a body of the drain completes one of the last steps") {
  Plan plan = late_updates();
  plan.cadence.fill = {1};
  Program& training = plan.roles.front().train;
  training.bodies.push_back({training.bodies[0][0]});
  plan.cadence.drain = {{2}};
  CHECK(check(plan).empty());
  Instruction& drained = training.bodies[2][0];
  for (const int wrong : {2, 3}) {
    drained.steps_back = wrong;
    REQUIRE(check(plan).size() == 1);
    CHECK(to_string(check(plan).front()).find("its body is number 1 of the drain after 1 steps") != std::string::npos);
  }
  drained.steps_back = 1;
  plan.cadence.drain = {{3}};
  CHECK(to_string(check(plan).front()).find("its cadence runs body 3") != std::string::npos);
}

TEST_CASE("a version of a ring that no step has written is found") {
  test::Builder b;
  const BufferId ring = b.persistent("ring", 4, MemoryClass::activations), sum = b.persistent("sum", 4);
  b.program.buffers[0].versions = 3;
  b.compute("read", {{ring, 0, -1, 0}}, {{sum}});
  b.compute("write", {{sum}}, {{ring, 0, -1, -1}});
  const Plan sound = test::completed({b.program});
  CHECK(check(sound).empty());
  Plan plan = sound;
  plan.roles.front().train.bodies.push_back({plan.roles.front().train.bodies[0][0]});
  plan.cadence.cycle = {{0, 3}, {1, 1}};
  CHECK(check(plan).empty());  // what a step before the start wrote is the first version
  plan.cadence.fill = {0, 0, 1};
  plan.cadence.ramp = {};
  REQUIRE(!check(plan).empty());
  CHECK(
      to_string(check(plan).front()).find("of 'ring' as the version of 1 steps before, but finds the first version") !=
      std::string::npos);
}

}  // namespace ddlbench::program
