#include <functional>
#include <sstream>

#include "bench/case/verify.h"
#include "graph/ops/readiness.h"

#include "catch.h"
#include "failure.h"
#include "small_case.h"
#include "unchecked_run.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

using program::Instruction;

constexpr std::int64_t mutant_steps = 4;

/// Two ways to corrupt a training: change the plan, or change the samples.
struct Mutant {
  std::function<void(program::Plan&)> plan = [](program::Plan&) {};
  std::function<void(std::vector<workloads::SampleDraw>&)> order = [](std::vector<workloads::SampleDraw>&) {};
};

/// Returns the certificate of a mutant of the case. The plan is not checked: only the certificate is tested.
runtime::Certificate certificate_of(const SmallCase& small, const Mutant& mutant) {
  const Setup setup = prepare(small.experiment, small.which, open_data(small.experiment));
  RecordedProgress heard;
  std::ostringstream log;
  Heartbeat heartbeat(heard, 3 * mutant_steps, log);
  const Reference reference = run_reference(setup, mutant_steps, heartbeat);
  program::Plan plan = compile(setup, small.which.strategy.choice, small.which.ranks);
  mutant.plan(plan);
  std::vector<workloads::SampleDraw> order = training_order(setup, mutant_steps);
  mutant.order(order);
  return unchecked_certificate(setup, plan, order, mutant_steps, reference);
}

/// Returns a mutation that removes the instructions that `unwanted` selects from every role's training body; at least
/// one must be removed.
std::function<void(program::Plan&)> without(const std::function<bool(const Instruction&)>& unwanted) {
  return [unwanted](program::Plan& plan) {
    std::size_t removed = 0;
    for (program::Role& role : plan.roles) removed += std::erase_if(role.train.bodies.front(), unwanted);
    REQUIRE(removed > 0);
  };
}

/// Repeats the instructions that `wanted` selects; `again` changes the second one of each.
void repeat(program::Role& role, const std::function<bool(const Instruction&)>& wanted,
            const std::function<void(Instruction&)>& again) {
  std::vector<Instruction> body;
  for (const Instruction& instruction : role.train.bodies.front()) {
    body.push_back(instruction);
    if (!wanted(instruction)) continue;
    body.push_back(instruction);
    again(body.back());
  }
  REQUIRE(body.size() > role.train.bodies.front().size());
  role.train.bodies.front() = std::move(body);
}

bool is_all_reduce(const Instruction& instruction) {
  const auto* call = std::get_if<program::CollectiveCall>(&instruction.action);
  return call != nullptr && call->kind == graph::Collective::all_reduce;
}

}  // namespace

TEST_CASE("The certificate holds for the right plan", "[mutants]") {
  CHECK(certificate_of(SmallCase("ddp", 2), {}).holds());
  CHECK(certificate_of(SmallCase("tensor", 2), {}).holds());
  CHECK(certificate_of(SmallCase("gpipe", 2), {}).holds());
}

TEST_CASE("The certificate catches a dropped all-reduce", "[mutants]") {
  CHECK_FALSE(certificate_of(SmallCase("ddp", 2), {without(is_all_reduce)}).holds());
  CHECK_FALSE(certificate_of(SmallCase("tensor", 2), {without(is_all_reduce)}).holds());
}

TEST_CASE("The certificate catches a missing 1/n", "[mutants]") {
  Mutant mutant;
  // A gradient that is summed over the ranks twice is n times too large, like one without its 1/n.
  mutant.plan = [](program::Plan& plan) { repeat(plan.roles[0], is_all_reduce, [](Instruction&) {}); };
  const runtime::Certificate certificate = certificate_of(SmallCase("ddp", 2), mutant);
  CHECK_FALSE(certificate.holds());
  CHECK(certificate.measured.gradient == Approx(1).epsilon(1e-3));
}

TEST_CASE("The certificate catches a skipped bucket", "[mutants]") {
  const SmallCase small("ddp", 2, {{"bucket_mebibytes", 0.001}, {"first_bucket_mebibytes", 0.001}});
  int buckets = 0;
  const auto second = [&buckets](const Instruction& instruction) {
    return is_all_reduce(instruction) && ++buckets == 2;
  };
  CHECK_FALSE(certificate_of(small, {without(second)}).holds());
  CHECK(buckets >= 2);
}

TEST_CASE("The certificate catches a step that completes too little of the step before", "[mutants]") {
  const SmallCase small("priority", 2, {{"link_gigabits", 0.001}});
  CHECK(certificate_of(small, {}).holds());
  const auto is_first = [](const char* begin) {
    return [begin, found = false](const Instruction& instruction) mutable {
      return instruction.name.starts_with(begin) && instruction.steps_back == 1 && !std::exchange(found, true);
    };
  };
  CHECK_FALSE(certificate_of(small, {without(is_first("reduce"))}).holds());
  CHECK_FALSE(certificate_of(small, {without(is_first("update"))}).holds());
}

TEST_CASE("A gradient about which the ranks do not agree ends the case", "[mutants]") {
  const SmallCase small("horovod", 2, {{"cycle_milliseconds", 0.001}});
  CHECK(certificate_of(small, {}).holds());
  Mutant mutant;
  mutant.plan = [](program::Plan& plan) {
    int forgotten = 0;
    for (Instruction& instruction : plan.roles[0].train.bodies.front()) {
      auto* compute = std::get_if<program::Compute>(&instruction.action);
      const auto* marks = compute == nullptr ? nullptr : dynamic_cast<const graph::MarkReady*>(compute->op.get());
      if (marks == nullptr || marks->ready.size() == 0 || forgotten++ > 0) continue;
      compute->op =
          std::make_shared<graph::MarkReady>(marks->tensors, graph::Extent{marks->ready.begin, marks->ready.end - 1});
    }
    REQUIRE(forgotten > 0);
  };
  test::check_says(test::failure_of([&] { certificate_of(small, mutant); }), "the loss became NaN");
}

TEST_CASE("The certificate catches ranks that all read the same samples", "[mutants]") {
  const SmallCase small("ddp", 2);
  Mutant mutant;
  mutant.order = [&small](std::vector<workloads::SampleDraw>& order) {
    const auto batch = static_cast<std::size_t>(small.which.global_batch);
    for (std::size_t i = 0; i < order.size(); ++i)
      if (i % batch >= batch / 2) order[i] = order[i - batch / 2];
  };
  CHECK_FALSE(certificate_of(small, mutant).holds());
}

TEST_CASE("The certificate catches a stage that runs twice", "[mutants]") {
  Mutant mutant;
  mutant.plan = [](program::Plan& plan) {
    const auto is_weight_gradient = [](const Instruction& instruction) {
      return instruction.phase == program::Phase::backward_weight;
    };
    repeat(plan.roles[1], is_weight_gradient,
           [](Instruction& instruction) { std::get<program::Compute>(instruction.action).accumulate = true; });
  };
  CHECK_FALSE(certificate_of(SmallCase("gpipe", 2), mutant).holds());
}
