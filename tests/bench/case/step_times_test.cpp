#include <sstream>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "bench/case/measure.h"
#include "bench/case/trace_writer.h"
#include "catch.h"

using namespace ddlbench;
using bench::MeasuredStep;
using program::Activity;

namespace {

program::Instruction instruction(const std::string& name, program::Phase phase, int microbatch = 0) {
  program::Instruction made;
  made.name = name;
  made.action = program::Compute{};
  made.phase = phase;
  made.microbatch = microbatch;
  return made;
}

/// Returns a plan of two ranks that compute one forward and one optimizer instruction each.
program::Plan plan_of_two() {
  program::Plan plan;
  plan.meshes.emplace_back(std::vector<program::Axis>{{"data", 2}});
  plan.roles.resize(1);
  plan.roles[0].name = "all";
  plan.roles[0].train.bodies.front() = {instruction("fc \"1\"", program::Phase::forward, 3),
                                        instruction("update", program::Phase::optimizer)};
  plan.role_of_rank = {0, 0};
  return plan;
}

/// Returns a step that begins `gap` ms after the previous one, waits `input` ms for input, computes `forward` ms
/// forward and 1 ms in the optimizer.
MeasuredStep step_after(std::int64_t previous_end, std::int64_t gap, std::int64_t input, std::int64_t forward) {
  constexpr std::int64_t ms = 1'000'000;
  MeasuredStep step;
  step.previous_end = previous_end;
  std::int64_t at = previous_end + gap * ms;
  step.timeline.begin = at;
  const auto spend = [&](Activity activity, int id, std::int64_t milliseconds) {
    step.timeline.spans.push_back({activity, id, at, at + milliseconds * ms});
    at += milliseconds * ms;
  };
  spend(Activity::input, program::none, input);
  spend(Activity::compute, 0, forward);
  spend(Activity::compute, 1, 1);
  step.timeline.end = at;
  return step;
}

std::vector<std::vector<MeasuredStep>> steps_of_two_ranks(const std::vector<std::int64_t>& slow_steps = {0, 0, 40, 0,
                                                                                                         90, 0, 0, 0}) {
  std::vector<std::vector<MeasuredStep>> ranks(2);
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    std::int64_t end = 1000;
    for (const std::int64_t slow : slow_steps) {
      ranks[static_cast<std::size_t>(rank)].push_back(step_after(end, 1, 2, 4 + 2 * rank + slow));
      end = ranks[static_cast<std::size_t>(rank)].back().timeline.end;
    }
  }
  return ranks;
}

}  // namespace

TEST_CASE("Budgets are means over the steps of the estimate, and their parts sum to it", "[step_times]") {
  const bench::StepTimes times = bench::step_times(plan_of_two(), steps_of_two_ranks(), 1);
  // Rank 0: 1 ms between steps, 2 input, 4 forward, 1 optimizer; rank 1: 2 ms more of forward. The slow steps are
  // trimmed.
  CHECK(times.step.value == Approx(9e-3));
  CHECK(times.step.used.size() == 4);
  REQUIRE(times.ranks.size() == 2);
  CHECK(times.ranks[0].forward == Approx(4e-3));
  CHECK(times.ranks[1].forward == Approx(6e-3));
  for (const program::Budget& budget : times.ranks) {
    CHECK(budget.input == Approx(2e-3));
    CHECK(budget.optimizer == Approx(1e-3));
    CHECK(budget.rest == Approx(1e-3));
  }
  CHECK(times.mean.total() == Approx(times.step.value));
}

TEST_CASE("Steps in which a process was stopped do not count", "[step_times]") {
  auto ranks = steps_of_two_ranks({0, 50, 50, 0, 0, 50, 50, 0});
  for (const std::size_t k : {1, 2, 5, 6}) ranks[k % 2][k].paused = true;
  program::Plan plan = plan_of_two();
  const bench::StepTimes times = bench::step_times(plan, ranks, 1);
  CHECK(times.step.value == Approx(9e-3));
  CHECK(times.mean.total() == Approx(times.step.value));
  CHECK(times.ranks[1].forward == Approx(6e-3));

  plan.cadence.cycle = {{0, 2}};
  CHECK(plan.cadence.cycle_steps() == 2);
  ranks[0][2].paused = ranks[0][5].paused = ranks[1][5].paused = false;  // without: cycles (2, 3) and (4, 5)
  CHECK(bench::step_times(plan, ranks, 1).step.value == Approx((9e-3 + 59e-3) / 2));

  for (MeasuredStep& step : ranks[0]) step.paused = true;
  CHECK(bench::step_times(plan, ranks, 1).step.used.size() == 2);  // all four, of which the middle half counts
}

TEST_CASE("A step trace has a process for each rank and the phases as categories", "[trace]") {
  std::vector<program::StepTimeline> timelines;
  for (const auto& rank : steps_of_two_ranks()) timelines.push_back(rank.front().timeline);
  timelines[1].transfers = {{0, timelines[1].begin, timelines[1].begin + 2000},
                            {1, timelines[1].begin + 1000, timelines[1].begin + 3000},
                            {0, timelines[1].begin + 2000, timelines[1].begin + 4000}};
  std::ostringstream out;
  bench::write_trace(out, plan_of_two(), timelines);
  const nlohmann::json trace = nlohmann::json::parse(out.str());
  int forward = 0;
  std::vector<int> lanes;
  std::vector<std::string> threads;
  for (const nlohmann::json& event : trace.at("traceEvents")) {
    if (event.at("name") == "thread_name" && event.at("pid") == 1) threads.push_back(event.at("args").at("name"));
    if (event.at("ph") != "X") continue;
    CHECK(event.at("ts").get<double>() >= 0);
    if (event.at("cat") == "communication") lanes.push_back(event.at("tid"));
    if (event.at("cat") != "forward") continue;
    ++forward;
    CHECK(event.at("name") == "fc \"1\"");
    CHECK(event.at("args").at("microbatch") == 3);
    CHECK(event.at("ts").get<double>() == Approx(2000));
    CHECK(event.at("dur").get<double>() == Approx(event.at("pid") == 0 ? 4000 : 6000));
  }
  CHECK(forward == 2);
  CHECK(lanes == std::vector<int>{1, 2, 1});
  CHECK(threads == std::vector<std::string>{"compute", "communication", "communication 2"});
}

TEST_CASE("An error in writing a step trace names the file", "[trace]") {
  try {
    bench::write_trace_file("/proc/nowhere/trace.json", plan_of_two(), std::vector<program::StepTimeline>(2));
    FAIL("nothing was thrown");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("/proc/nowhere") != std::string::npos);
  }
}
