#include "program/budget.h"

#include "base/error.h"
#include "builder.h"
#include "catch.h"

using namespace ddlbench;
using namespace ddlbench::program;

namespace {

constexpr std::int64_t ms = 1000000;

Span span(Activity activity, InstructionId instruction, std::int64_t begin, std::int64_t end) {
  return {activity, instruction, begin * ms, end * ms};
}

/// Forward, loss, backward of the loss, backward weight, all-reduce and update, the same on both ranks.
Plan data_parallel_plan() {
  test::Builder b;
  const auto x = b.transient("x", 4), gradient = b.persistent("gradient", 4, MemoryClass::gradients);
  const auto compute = [&](const std::string& name, Phase phase) { b.compute(name, {}, {{x}}).phase = phase; };
  compute("forward", Phase::forward);
  compute("loss", Phase::forward);
  compute("loss backward", Phase::backward_input);
  compute("backward", Phase::backward_weight);
  b.all_reduce("sum", {gradient});
  compute("update", Phase::optimizer);
  return test::plan_of({b.program, b.program});
}

/// Front: forward 0, send 1, receive 2, backward 3, update 4. Back: receive 0, forward 1, loss 2, backward 3 and 4,
/// send 5.
Plan pipeline_plan() {
  test::Builder front, back;
  const auto h = front.transient("h", 4), dh = front.transient("dh", 4);
  front.compute("forward", {}, {{h}});
  front.send("send h", {h}, 1, 1);
  front.receive("receive dh", {dh}, 1, 2);
  front.compute("backward", {{dh}}, {{h}}).phase = Phase::backward_weight;
  front.compute("update", {}, {{h}}).phase = Phase::optimizer;
  const auto x = back.transient("h", 4), dx = back.transient("dh", 4);
  back.receive("receive h", {x}, 0, 1);
  back.compute("forward", {{x}}, {{dx}});
  back.compute("loss", {{x}}, {{dx}});
  back.compute("loss backward", {{x}}, {{dx}}).phase = Phase::backward_input;
  back.compute("backward", {{x}}, {{dx}}).phase = Phase::backward_input;
  back.send("send dh", {dx}, 0, 2);
  return test::plan_of({front.program, back.program});
}

/// A timeline of data_parallel_plan: forward 0, loss 1, loss backward 2, backward weight 3, all-reduce 4, update 5.
StepTimeline data_parallel(std::int64_t ready) {
  StepTimeline t{0, 0, 100 * ms, {}, {}};
  t.spans = {span(Activity::input, none, 0, 5),      span(Activity::compute, 0, 5, 10),
             span(Activity::compute, 1, 10, 12),     span(Activity::compute, 2, 12, 15),
             span(Activity::compute, 3, 15, ready),  span(Activity::compute, 4, ready, ready + 1),
             span(Activity::wait, 4, ready + 1, 80), span(Activity::compute, 5, 80, 97)};
  t.transfers = {{4, (ready + 1) * ms, 80 * ms}};
  return t;
}

}  // namespace

TEST_CASE("a step is split by phase, and a wait is a bubble until the last member of the group begins") {
  const Plan plan = data_parallel_plan();
  const auto budgets = split(plan, {data_parallel(30), data_parallel(50)});
  REQUIRE(budgets.size() == 2);
  const Budget& early = budgets[0];
  CHECK(early.input == Approx(0.005));
  CHECK(early.forward == Approx(0.007));
  CHECK(early.backward == Approx(0.018));
  CHECK(early.bubble == Approx(0.020));         // 31 to 51: the other rank had not begun
  CHECK(early.communication == Approx(0.030));  // its own start, and 51 to 80
  CHECK(early.optimizer == Approx(0.017));
  CHECK(early.rest == Approx(0.003));
  CHECK(early.recompute == 0);
  CHECK(early.total() == Approx(0.1).epsilon(1e-12));

  const Budget& late = budgets[1];
  CHECK(late.bubble == 0);
  CHECK(late.communication == Approx(0.030));
  CHECK(late.total() == Approx(0.1).epsilon(1e-12));
}

TEST_CASE("waiting to receive is a bubble until the sender begins, and waiting to send until the receiver begins") {
  const Plan plan = pipeline_plan();
  StepTimeline front{0, 0, 100 * ms, {}, {}}, back{0, 0, 100 * ms, {}, {}};
  front.spans = {span(Activity::compute, 0, 0, 20), span(Activity::wait, 2, 20, 70), span(Activity::compute, 3, 70, 90),
                 span(Activity::wait, 1, 90, 91)};
  front.transfers = {{1, 20 * ms, 30 * ms}, {2, 20 * ms, 70 * ms}};
  back.spans = {span(Activity::wait, 0, 0, 30), span(Activity::compute, 1, 30, 60), span(Activity::wait, 5, 65, 70)};
  back.transfers = {{0, 0, 30 * ms}, {5, 60 * ms, 70 * ms}};
  const auto budgets = BudgetSplitter(plan).split({front, back});
  CHECK(budgets[0].bubble == Approx(0.040));         // 20 to 60
  CHECK(budgets[0].communication == Approx(0.011));  // 60 to 70, and the send, whose receiver had begun
  CHECK(budgets[1].bubble == Approx(0.020));         // 0 to 20
  CHECK(budgets[1].communication == Approx(0.015));
  for (const Budget& b : budgets) CHECK(b.total() == Approx(0.1).epsilon(1e-12));
}

TEST_CASE("budgets can be added and scaled") {
  const auto one = split(data_parallel_plan(), {data_parallel(30), data_parallel(50)})[0];
  Budget total = one;
  total += one;
  total = total * 0.5;
  CHECK(total.bubble == one.bubble);
  CHECK(total.rest == one.rest);
  CHECK(total.total() == Approx(one.total()));
}

TEST_CASE("overlapping spans are rejected") {
  StepTimeline bad = data_parallel(30);
  bad.spans[2].begin = 9 * ms;
  CHECK_THROWS_AS(split(data_parallel_plan(), {bad, data_parallel(30)}), ContractError);
  bad = data_parallel(30);
  bad.end = 90 * ms;
  CHECK_THROWS_AS(split(data_parallel_plan(), {bad, data_parallel(30)}), ContractError);
}

TEST_CASE("a message without a counterpart is rejected") {
  Plan plan = pipeline_plan();
  plan.roles[1].train.bodies.front().erase(plan.roles[1].train.bodies.front().begin());
  CHECK_THROWS_AS(BudgetSplitter(plan), ContractError);
}
