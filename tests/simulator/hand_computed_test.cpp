#include "base/error.h"
#include "catch.h"
#include "hand.h"
#include "program/budget.h"
#include "simulator/simulate.h"

using namespace ddlbench;
using namespace ddlbench::program;
using namespace ddlbench::simulator;
using test::Hand;

namespace {

constexpr double ms = 1e-3;
const Link slow{1 * ms, 1e6};  // 4,000 bytes take 4 ms and arrive 1 ms later

Cluster cores_for(int ranks, const Link& link = slow) {
  return one_host(ranks, ranks, 1, link);
}

double length(const StepTimeline& timeline) {
  return static_cast<double>(timeline.end - timeline.begin) * 1e-9;
}

Simulation run(const test::HandPlan& hand, const Cluster& cluster, const Options& options = {}) {
  return simulate(hand.plan, hand.costs, cluster, options);
}

Options once() {
  Options options;
  options.steps.count = 1;
  return options;
}

}  // namespace

TEST_CASE("a rank's computations run one after another") {
  Hand hand;
  const auto x = hand.buffer(1);
  hand.compute("a", x, 2 * ms);
  hand.compute("b", x, 3 * ms);
  const Simulation simulation = run(test::replicated(hand, 1), cores_for(1));
  CHECK(simulation.step_seconds == Approx(5 * ms));
  const StepTimeline& timeline = simulation.timelines()[0];
  REQUIRE(timeline.spans.size() == 2);
  CHECK(timeline.step == 1);
  CHECK(timeline.begin == 5000000);  // the second step is reported
  CHECK(timeline.spans[1].begin == 7000000);
  CHECK(timeline.spans[1].end == 10000000);
}

TEST_CASE("a message takes bytes over bandwidth plus latency, from when both ends are ready") {
  Hand front, back;
  const auto x = front.buffer(1000), y = back.buffer(1000);
  front.compute("make", x, 10 * ms);
  front.send("send", x, 1);
  back.compute("other", y, 2 * ms);
  back.receive("receive", y, 0);
  back.compute("use", y, 3 * ms);
  const Simulation simulation = run(test::plan_of({front, back}), cores_for(2), once());
  CHECK(length(simulation.timelines()[0]) == Approx(15 * ms));  // the send is waited for at the end
  CHECK(length(simulation.timelines()[1]) == Approx(18 * ms));
  const auto budgets = split(test::plan_of({front, back}).plan, simulation.timelines());
  CHECK(budgets[1].bubble == Approx(8 * ms));
  CHECK(budgets[1].communication == Approx(5 * ms));
  CHECK(budgets[0].communication == Approx(5 * ms));
  CHECK(simulation.sent_bytes[0].at("send") == 4000);
}

TEST_CASE("an eager message does not wait for its receiver") {
  Hand front, back;
  const auto x = front.buffer(1000), y = back.buffer(1000);
  front.send("send", x, 1);
  back.compute("other", y, 20 * ms);
  back.receive("receive", y, 0);
  Link eager = slow;
  const auto hand = test::plan_of({front, back});
  CHECK(length(run(hand, cores_for(2, eager), once()).timelines()[0]) == Approx(25 * ms));
  eager.eager_bytes = 4000;
  const Simulation simulation = run(hand, cores_for(2, eager), once());
  CHECK(length(simulation.timelines()[0]) == Approx(4 * ms));
  CHECK(length(simulation.timelines()[1]) == Approx(20 * ms));
}

TEST_CASE("messages of one rank share its link, but their latencies overlap") {
  Hand front, back;
  const auto a = front.buffer(1000), b = front.buffer(1000), c = back.buffer(1000), d = back.buffer(1000);
  front.send("send a", a, 1);
  front.send("send b", b, 1);
  back.receive("receive a", c, 0);
  back.receive("receive b", d, 0);
  CHECK(run(test::plan_of({front, back}), cores_for(2), once()).step_seconds == Approx(9 * ms));
}

TEST_CASE("a ring all-reduce takes 2(n-1) rounds of one chunk") {
  Hand hand;
  const auto x = hand.buffer(4000);
  hand.all_reduce("sum", x);
  const Simulation simulation = run(test::replicated(hand, 4), cores_for(4), once());
  CHECK(simulation.step_seconds == Approx(6 * (1 + 4) * ms));
  CHECK(simulation.sent_bytes[3].at("all_reduce") == 24000);
}

TEST_CASE("recursive doubling takes one whole buffer per round, and two more rounds if members pair up") {
  Hand hand;
  const auto x = hand.buffer(1000);
  hand.all_reduce("sum", x, collectives::find_algorithm("recursive_doubling"));
  CHECK(run(test::replicated(hand, 4), cores_for(4), once()).step_seconds == Approx(2 * 5 * ms));
  CHECK(run(test::replicated(hand, 6), cores_for(6), once()).step_seconds == Approx(4 * 5 * ms));
}

TEST_CASE("a ring reduce-scatter sends a part larger than an even one in several rounds") {
  Hand hand;
  const auto x = hand.buffer(2000);
  hand.collective("scatter", graph::Collective::reduce_scatter, x, {2000, 0});
  CHECK(run(test::replicated(hand, 2), cores_for(2), once()).step_seconds == Approx(2 * (1 + 4) * ms));
}

TEST_CASE("a ring over two hosts is as slow as the link between them") {
  Hand hand;
  const auto x = hand.buffer(4000);
  hand.all_reduce("sum", x);
  const Simulation simulation = run(test::replicated(hand, 4), hosts_of(4, 2, {}, slow), once());
  CHECK(simulation.step_seconds == Approx(6 * 5 * ms));
  CHECK(run(test::replicated(hand, 4), hosts_of(4, 4, {}, slow), once()).step_seconds == 0);
}

TEST_CASE("the duration of a call depends on the links between the members of each group") {
  Hand hand;
  const auto x = hand.buffer(2000);
  hand.all_reduce("sum", x);
  test::HandPlan four = test::replicated(hand, 4);
  four.plan.meshes[0] = Mesh({{"rows", 2}, {"data", 2}});  // groups {0, 1} and {2, 3}
  const Simulation simulation = run(four, hosts_of(4, 3, {}, slow), once());
  CHECK(length(simulation.timelines()[0]) == 0);
  CHECK(length(simulation.timelines()[2]) == Approx(2 * 5 * ms));
  CHECK(length(simulation.timelines()[3]) == Approx(2 * 5 * ms));
}

TEST_CASE("a collective overlaps computation that does not depend on it") {
  Hand hand;
  const auto x = hand.buffer(2000), y = hand.buffer(1);
  hand.compute("gradient", x, 5 * ms);
  hand.all_reduce("sum", x);
  hand.compute("more", y, 7 * ms);
  hand.compute("update", x, 1 * ms);
  const auto plan = test::replicated(hand, 2);
  const Simulation simulation = run(plan, cores_for(2));
  CHECK(simulation.step_seconds == Approx((5 + 10 + 1) * ms));  // two rounds of 5 ms, starting at 5 ms
  const auto budgets = split(plan.plan, simulation.timelines());
  CHECK(budgets[0].communication == Approx(3 * ms));
  CHECK(budgets[0].bubble == 0);
}

TEST_CASE("a collective in the cost table takes its measured time") {
  Hand hand;
  const auto x = hand.buffer(2000);
  hand.all_reduce("sum", x);
  auto plan = test::replicated(hand, 2);
  plan.costs.insert(cost_key(std::get<CollectiveCall>(plan.plan.roles[0].train.bodies.front()[0].action), 2),
                    {42 * ms, 0});
  CHECK(run(plan, cores_for(2)).step_seconds == Approx(42 * ms));
}

TEST_CASE("a stream runs strictly in order where the engine's thread would continue") {
  // Rank 0 starts a message that rank 1 receives late, and then one to rank 2.
  Hand first, second, third;
  const auto a = first.buffer(1000), b = first.buffer(1000), c = second.buffer(1000), d = third.buffer(1000);
  first.send("send a", a, 1);
  first.send("send b", b, 2);
  second.compute("late", c, 50 * ms);
  second.receive("receive a", c, 0);
  third.receive("receive b", d, 0);
  const auto plan = test::plan_of({first, second, third});
  Options options = once();
  CHECK(length(run(plan, cores_for(3), options).timelines()[2]) == Approx(5 * ms));
  options.issue = Issue::streams;
  CHECK(length(run(plan, cores_for(3), options).timelines()[2]) == Approx(60 * ms));
}

TEST_CASE("starting a communication takes time of the thread, and input comes first") {
  Hand hand;
  const auto x = hand.buffer(1000), y = hand.buffer(1000);
  hand.all_reduce("sum", x);
  hand.compute("more", y, 20 * ms);
  auto plan = test::replicated(hand, 2);
  Options options;
  options.start_seconds = 1 * ms;
  options.input_seconds = {2 * ms, 2 * ms};
  const Simulation simulation = run(plan, cores_for(2), options);
  CHECK(simulation.step_seconds == Approx((2 + 1 + 20) * ms));
  const auto budgets = split(plan.plan, simulation.timelines());
  CHECK(budgets[1].input == Approx(2 * ms));
  CHECK(budgets[1].communication == Approx(1 * ms));
}

TEST_CASE("ranks on one core share it while both are busy") {
  Hand hand;
  const auto x = hand.buffer(1);
  hand.compute("work", x, 10 * ms);
  CHECK(run(test::replicated(hand, 4), one_host(4, 2, 1, {})).step_seconds == Approx(20 * ms));

  // The stages of a pipeline are busy one after the other, so no rank has to share.
  Hand front, back;
  const auto a = front.buffer(1000), b = back.buffer(1000);
  front.compute("make", a, 10 * ms);
  front.send("send", a, 1);
  back.receive("receive", b, 0);
  back.compute("use", b, 10 * ms);
  CHECK(length(run(test::plan_of({front, back}), one_host(2, 1, 1, {}), once()).timelines()[1]) == Approx(20 * ms));
}

TEST_CASE("the computations of a slow rank take longer, also where it shares a core") {
  Hand hand;
  const auto x = hand.buffer(1);
  hand.compute("work", x, 10 * ms);
  const auto plan = test::replicated(hand, 2);
  Cluster apart = cores_for(2), together = one_host(2, 1, 1, {});
  apart.slowdown_of_rank = together.slowdown_of_rank = {1, 3};
  const Simulation simulation = run(plan, apart, once());
  CHECK(length(simulation.timelines()[0]) == Approx(10 * ms));
  CHECK(length(simulation.timelines()[1]) == Approx(30 * ms));
  CHECK(length(run(plan, together, once()).timelines()[1]) == Approx(40 * ms));
}

TEST_CASE("ranks on one core prepare their input on it, and move messages while they wait") {
  Hand hand;
  const auto x = hand.buffer(1000), y = hand.buffer(1000);
  hand.all_reduce("sum", x);
  hand.compute("beside", y, 10 * ms);
  const auto plan = test::replicated(hand, 2);
  Options options;
  options.input_seconds = {1 * ms, 1 * ms};
  // Both sums take two rounds of 2,000 bytes: 2 · (2 + 1) ms.
  CHECK(run(plan, one_host(2, 2, 1, slow), options).step_seconds == Approx((1 + 10) * ms));
  CHECK(run(plan, one_host(2, 1, 1, slow), options).step_seconds == Approx((2 * 1 + 2 * 10 + 6) * ms));
}

TEST_CASE("shares of a core change when another rank begins or ends") {
  Hand first, second;
  const auto x = first.buffer(1), y = second.buffer(1);
  first.compute("long", x, 10 * ms);
  second.compute("short", y, 2 * ms);
  const Simulation simulation = run(test::plan_of({first, second}), one_host(2, 1, 1, {}), once());
  CHECK(length(simulation.timelines()[1]) == Approx(4 * ms));   // half a core each
  CHECK(length(simulation.timelines()[0]) == Approx(12 * ms));  // 2 ms done after 4 ms, the other 8 ms alone
}

TEST_CASE("the error for an unknown cost names its key") {
  Hand hand;
  const auto x = hand.buffer(1);
  hand.compute("secret", x, 1);
  auto plan = test::replicated(hand, 1);
  const std::string key = plan.costs.all().begin()->first;
  for (const bool known : {false, true}) {
    CostTable costs;
    if (known) costs.insert(key, {std::nullopt, 64});  // only its workspace
    try {
      simulate(plan.plan, costs, cores_for(1));
      FAIL("simulated");
    } catch (const InputError& error) {
      CHECK(std::string(error.what()).find(key) != std::string::npos);
    }
  }
}

TEST_CASE("the error for a stalled plan names ranks and instructions") {
  Hand first, second;
  const auto a = first.buffer(1), b = first.buffer(1), c = second.buffer(1), d = second.buffer(1);
  first.receive("take from second", a, 1);
  first.compute("then", a, 1);
  first.send("give to second", b, 1);
  second.receive("take from first", c, 0);
  second.compute("then", c, 1);
  second.send("give to first", d, 0);
  try {
    run(test::plan_of({first, second}), cores_for(2));
    FAIL("ended");
  } catch (const ContractError& error) {
    const std::string what = error.what();
    CHECK(what.find("rank 0 waits for body[0] 'take from second'") != std::string::npos);
    CHECK(what.find("rank 1 waits for body[0] 'take from first'") != std::string::npos);
  }
}

TEST_CASE("a cluster that does not fit the plan is rejected") {
  Hand hand;
  const auto x = hand.buffer(1);
  hand.compute("work", x, 1);
  const auto plan = test::replicated(hand, 2);
  CHECK_THROWS_AS(run(plan, cores_for(3)), InputError);
  CHECK_THROWS_AS(run(plan, one_host(2, 0, 1, {})), InputError);
  CHECK_THROWS_AS(run(plan, one_host(2, 1, 0, {})), InputError);
  CHECK_THROWS_AS(run(plan, one_host(2, 1, 1, {-1, 1})), InputError);
  Cluster slow_ranks = cores_for(2);
  slow_ranks.slowdown_of_rank = {1};
  CHECK_THROWS_AS(run(plan, slow_ranks), InputError);
  slow_ranks.slowdown_of_rank = {1, 0};
  CHECK_THROWS_AS(run(plan, slow_ranks), InputError);
}
