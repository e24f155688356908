#include <functional>
#include <sstream>
#include <utility>

#include "all_strategies.h"
#include "bench/case/certified_steps.h"
#include "bench/case/replay.h"
#include "catch.h"
#include "graph/ops/weighted_sum.h"
#include "unchecked_run.h"

using namespace ddlbench;
using namespace ddlbench::bench;

namespace {

using program::Instruction;

OptionValues averaging(const std::string& kind, std::int64_t every, OptionValues more = {}) {
  more["averaging"] = Nested{{kind, {}}};
  more["every"] = every;
  more["bucket_mebibytes"] = 0.002;
  return more;
}

OptionValues graph_of(const std::string& kind) {
  return {{"graph", Nested{{kind, {}}}}, {"bucket_mebibytes", 0.002}};
}

/// Returns the certificate of a case against its own rule. `mutate` changes its plan, which is not checked.
runtime::Certificate certificate_of(
    const SmallCase& small, const std::function<void(program::Plan&)>& mutate = [](program::Plan&) {}) {
  const Setup setup = prepare(small.experiment, small.which, open_data(small.experiment));
  program::Plan plan = compile(setup, small.which.strategy.choice, small.which.ranks);
  REQUIRE(plan.promise.rule != nullptr);
  const CertifiedSteps steps = certified_steps(plan.cadence, 4);
  RecordedProgress heard;
  std::ostringstream log;
  Heartbeat heartbeat(heard, 2 * steps.count, log);
  const Reference reference = run_replay(setup, *plan.promise.rule, plan.microbatches, steps, heartbeat);
  CHECK(reference.missing == "");
  mutate(plan);
  return unchecked_certificate(setup, plan, training_order(setup, steps.count), steps.count, reference, steps.first);
}

/// Changes the instructions of all bodies whose names begin with `name`; there must be some.
std::function<void(program::Plan&)> changed(const std::string& name, const std::function<void(Instruction&)>& change) {
  return [name, change](program::Plan& plan) {
    int count = 0;
    for (program::Role& role : plan.roles)
      for (program::Instructions& body : role.train.bodies)
        for (Instruction& instruction : body)
          if (instruction.name.starts_with(name)) change(instruction), ++count;
    REQUIRE(count > 0);
  };
}

void set_weights(Instruction& instruction, const std::vector<double>& weights) {
  std::get<program::Compute>(instruction.action).op = std::make_shared<graph::WeightedSum>(weights);
}

}  // namespace

TEST_CASE("every way to bring weights together is certified against its rule", "[case]") {
  std::vector<StrategyRun> ways;
  for (const int ranks : {2, 3, 4}) {
    for (const char* kind : {"mean", "block_momentum", "elastic"}) {
      ways.push_back({"local_sgd", ranks, averaging(kind, 3)});
      ways.push_back({"local_sgd", ranks, averaging(kind, 1, parts(2))});
    }
    for (const char* kind : {"ring", "exponential", "random"}) ways.push_back({"gossip", ranks, graph_of(kind)});
  }
  ways.push_back({"local_sgd", 2, averaging("mean", 2, {{"synchronous_steps", std::int64_t{3}}})});
  ways.push_back({"local_sgd", 3, averaging("mean", 2, {{"average_states", true}})});
  for (const StrategyRun& way : ways) {
    const SmallCase small = four_layers(way.strategy, way.ranks, way.options);
    RecordedProgress heard;
    const Measurement found = run_case(small.experiment, small.which, "", heard);
    INFO(way.strategy << " on " << way.ranks << ": " << found.certificate_reason);
    CHECK(found.promise == "lossy");
    CHECK(found.certified);
    CHECK(found.final_accuracy_ratio > 0);
  }
}

TEST_CASE("own weights have masters of their own in bf16", "[case]") {
  for (const StrategyRun& way : {StrategyRun{"local_sgd", 2, averaging("mean", 2)},
                                 {"local_sgd", 2, averaging("block_momentum", 2)},
                                 {"local_sgd", 2, averaging("elastic", 2)},
                                 {"gossip", 2, graph_of("ring")}}) {
    SmallCase small = four_layers(way.strategy, way.ranks, way.options);
    small.experiment.training.precision = "bf16";
    small.experiment.workload.dataset.options["train_samples"] = std::int64_t{4096};
    small.which.global_batch = 2048;
    RecordedProgress heard;
    const Measurement found = run_case(small.experiment, small.which, "", heard);
    INFO(way.strategy << ": " << found.certificate_reason);
    CHECK(found.certified);
  }
}

TEST_CASE("the certificate catches wrong averages", "[case][mutants]") {
  const SmallCase mean = four_layers("local_sgd", 2, averaging("mean", 3));
  CHECK(certificate_of(mean).holds());
  const auto skips_an_average = [](program::Plan& plan) {
    for (program::Cadence::Turn& turn : plan.cadence.cycle) turn.body = 0;
  };
  CHECK_FALSE(certificate_of(mean, skips_an_average).holds());
  const auto averages_always = [](program::Plan& plan) {
    for (program::Cadence::Turn& turn : plan.cadence.cycle) turn.body = 1;
  };
  CHECK_FALSE(certificate_of(mean, averages_always).holds());
  CHECK_FALSE(certificate_of(mean, changed("average parameters",
                                           [](Instruction& instruction) { set_weights(instruction, {0.49}); }))
                  .holds());
  CHECK_FALSE(certificate_of(
                  mean, changed("scale gradients", [](Instruction& instruction) { set_weights(instruction, {1.0}); }))
                  .holds());

  const SmallCase block = four_layers("local_sgd", 2, averaging("block_momentum", 1));
  CHECK(certificate_of(block).holds());
  CHECK_FALSE(certificate_of(block, changed("decay change",
                                            [](Instruction& instruction) {
                                              set_weights(instruction, {0.0, 0.5});
                                            }))
                  .holds());

  const SmallCase elastic = four_layers("local_sgd", 2, averaging("elastic", 1));
  CHECK(certificate_of(elastic).holds());
  CHECK_FALSE(certificate_of(elastic, changed("pull center",
                                              [](Instruction& instruction) {
                                                set_weights(instruction, {1.0, 0.0});
                                              }))
                  .holds());
}

TEST_CASE("the certificate catches a wrong neighbour", "[case][mutants]") {
  const SmallCase ring = four_layers("gossip", 4, graph_of("exponential"));
  CHECK(certificate_of(ring).holds());
  const auto exchanges_with = [](int distance) {
    return changed("exchange parameters", [distance](Instruction& instruction) {
      auto& exchange = std::get<program::Exchange>(instruction.action);
      for (program::CoordinateRule& rule : exchange.sends.front().peer.rules) rule.value = distance;
      for (program::CoordinateRule& rule : exchange.receives.front().peer.rules) rule.value = -distance;
    });
  };
  CHECK_FALSE(certificate_of(ring, exchanges_with(3)).holds());
  const auto without_mixing = [](program::Plan& plan) {
    for (program::Role& role : plan.roles)
      for (program::Instructions& body : role.train.bodies)
        std::erase_if(body, [](const Instruction& instruction) { return instruction.name.starts_with("mix"); });
  };
  CHECK_FALSE(certificate_of(ring, without_mixing).holds());
}
