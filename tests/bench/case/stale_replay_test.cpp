#include <functional>
#include <utility>

#include "catch.h"
#include "replayed.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using namespace ddlbench::test;
using program::Instruction;

namespace {

/// Changes instructions of all training bodies; at least one must change.
std::function<void(program::Plan&)> changing(const std::function<bool(Instruction&)>& change) {
  return [change](program::Plan& plan) {
    std::size_t changed = 0;
    for (program::Role& role : plan.roles)
      for (program::Instructions& body : role.train.bodies)
        for (Instruction& instruction : body) changed += change(instruction) ? 1 : 0;
    REQUIRE(changed > 0);
  };
}

}  // namespace

TEST_CASE("the certificate catches weights of a wrong version", "[mutants]") {
  constexpr program::BufferId weights = 0;
  const auto reads_newest = changing([](Instruction& instruction) {
    auto* compute = std::get_if<program::Compute>(&instruction.action);
    if (compute == nullptr || instruction.phase == program::Phase::optimizer) return false;
    bool changed = false;
    for (program::Operand& input : compute->inputs)
      if (input.view.buffer == weights && std::exchange(input.view.age, 0) > 0) changed = true;
    return changed;
  });
  const auto drops_a_version = [](program::Plan& plan) {
    for (program::Role& role : plan.roles)
      for (program::Program* program : {&role.train, &role.evaluate})
        program->buffers[weights].versions = std::max(1, program->buffers[weights].versions - 1);
  };
  for (const char* versions : {"stashed", "vertical_sync"}) {
    const SmallCase small = four_layers("pipedream", 3, {{"weight_versions", std::string(versions)}});
    INFO(versions);
    CHECK(certificate_of({small}).holds());
    CHECK_FALSE(certificate_of({small, reads_newest}).holds());
    CHECK_FALSE(certificate_of({small, drops_a_version}).holds());
    CHECK_FALSE(certificate_of({small, [](program::Plan&) {},
                                [](program::UpdateRule& rule) {
                                  for (auto& [parameter, delay] : rule.delays) delay = 0;
                                }})
                    .holds());
  }
  const SmallCase newest = four_layers("pipedream", 3, {{"weight_versions", std::string("newest")}});
  CHECK(certificate_of({newest}).holds());
  CHECK_FALSE(certificate_of(
                  {newest, [](program::Plan&) {}, [](program::UpdateRule& rule) { rule.delays_forward_only = false; }})
                  .holds());
  const SmallCase predicted = four_layers("spectrain", 3, {});
  CHECK(certificate_of({predicted}).holds());
  CHECK_FALSE(
      certificate_of({predicted, [](program::Plan&) {}, [](program::UpdateRule& rule) { rule.predicts = false; }})
          .holds());
}

TEST_CASE("the certificate catches corrected weights and learning rates that are wrong", "[mutants]") {
  const auto pipemare = [](std::int64_t rate_steps) {
    return four_layers("pipemare", 3, {{"rate_steps", rate_steps}});
  };
  const auto with_rule = [](const SmallCase& small, const std::function<void(program::UpdateRule&)>& change) {
    return certificate_of({small, [](program::Plan&) {}, change}).holds();
  };
  for (const std::int64_t rate_steps : {0, 5}) {
    const SmallCase small = pipemare(rate_steps);
    INFO(rate_steps);
    CHECK(certificate_of({small}).holds());
    for (const char* name : {"correct parameters of", "decay mean change of", "mean change of"})
      CHECK_FALSE(certificate_of({small, without_any(name)}).holds());
    CHECK_FALSE(with_rule(small, [](program::UpdateRule& rule) { rule.corrects = false; }));
    CHECK_FALSE(with_rule(small, [](program::UpdateRule& rule) { rule.correction_decay = 0.9; }));
    CHECK_FALSE(with_rule(small, [](program::UpdateRule& rule) { rule.rate_steps += 5; }));
  }
  const auto whole_rates = [](program::Plan& plan) {
    for (program::Role& role : plan.roles) role.train.rate = {};
  };
  CHECK_FALSE(certificate_of({pipemare(5), whole_rates}).holds());
}

TEST_CASE("the certificate catches a dropout mask of the wrong step", "[mutants]") {
  const test::TemporaryFolder folder;
  SmallCase small = tiny_gpt(folder, {"pipedream", 2, {}}, false);
  small.experiment.workload.model.options["dropout"] = 0.5;
  CHECK(certificate_of({small}).holds());
  const auto mask_of_this_step = changing([](Instruction& instruction) {
    const auto* compute = std::get_if<program::Compute>(&instruction.action);
    return compute != nullptr && compute->op->kind() == "dropout" && std::exchange(instruction.steps_back, 0) > 0;
  });
  CHECK_FALSE(certificate_of({small, mask_of_this_step}).holds());
}

TEST_CASE("the certificate catches an update with the learning rate of the wrong step", "[mutants]") {
  SmallCase small = four_layers("pipedream", 3, {});
  small.experiment.training.epochs = 4;
  small.experiment.training.rate.warmup_steps = 6;
  CHECK(certificate_of({small}).holds());
  const auto rate_of_this_step = changing([](Instruction& instruction) {
    return instruction.phase == program::Phase::optimizer && std::exchange(instruction.steps_back, 0) > 0;
  });
  CHECK_FALSE(certificate_of({small, rate_of_this_step}).holds());
}
