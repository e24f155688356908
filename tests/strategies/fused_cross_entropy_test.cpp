#include <algorithm>

#include "catch.h"
#include "compiled.h"
#include "strategies/compile.h"
#include "strategies/inter_layer/schedules.h"

using namespace ddlbench;
using namespace ddlbench::strategies;

namespace {

constexpr std::int64_t text_batch = 8, text_length = 16;

/// Compiles a model of one transformer block over text, its head fused with the loss.
program::Plan compiled_head(const StrategySpec& spec, bool tied) {
  const workloads::ModelKind& model = workloads::find_model("tiny-gpt");
  workloads::SampleShape text;
  text.sample = {{text_length}, graph::DType::i32};
  text.label = {text_length};
  text.classes = 64;
  const graph::Graph graph = model.build({text, text_batch,
                                          with_defaults(model.options, {{"layers", std::int64_t{1}},
                                                                        {"heads", std::int64_t{2}},
                                                                        {"hidden", std::int64_t{8}},
                                                                        {"tied", tied},
                                                                        {"fused_head", true}})});
  const program::CostTable costs;
  const int ranks = spec.mesh.mesh().size();
  program::Plan plan = compile({graph, text_batch, ranks, graph::sgd({.momentum = 0.9f}), costs}, spec);
  program::complete(plan, costs);
  return plan;
}

struct Head {
  std::string kind;
  program::Phase phase;
  bool accumulate;
  std::vector<int> written;
  bool operator==(const Head&) const = default;
};

/// Returns the head's ops in `body`, in order.
std::vector<Head> heads_of(const std::vector<program::Instruction>& body) {
  std::vector<Head> heads;
  for (const program::Instruction& instruction : body) {
    const auto* compute = std::get_if<program::Compute>(&instruction.action);
    if (compute == nullptr || !compute->op->kind().starts_with("linear_cross_entropy")) continue;
    heads.push_back({std::string(compute->op->kind()), instruction.phase, compute->accumulate, compute->written});
  }
  return heads;
}

StrategySpec in_microbatches(int microbatches) {
  StrategySpec spec;
  spec.batch.microbatches = microbatches;
  return spec;
}

std::vector<Work> weight_gradients_last(const Pipeline& pipeline, int) {
  std::vector<Work> order;
  for (const Work::Kind kind : {Work::Kind::forward, Work::Kind::backward_input, Work::Kind::backward_weight})
    for (int m = 0; m < pipeline.microbatches; ++m) order.push_back({kind, 0, m});
  return order;
}

constexpr auto backward = program::Phase::backward_input;
const std::string fused = "linear_cross_entropy_and_gradients";

}  // namespace

TEST_CASE("a fused linear cross-entropy accumulates metrics and weight gradients over micro-batches") {
  const program::Plan plan = compiled_head(in_microbatches(2), false);
  CHECK(findings(plan) == "");
  CHECK(heads_of(plan.role(0).train.bodies.front()) ==
        std::vector<Head>{{fused, backward, false, {}}, {fused, backward, true, {3}}});
  CHECK(heads_of(plan.role(0).evaluate.bodies.front()) ==
        std::vector<Head>{{"linear_cross_entropy", program::Phase::forward, false, {}},
                          {"linear_cross_entropy", program::Phase::forward, true, {}}});
}

TEST_CASE("the two gradients of a tied weight accumulate in the gradient's own memory") {
  for (const int stage : {0, 2}) {
    CAPTURE(stage);
    StrategySpec spec = in_microbatches(2);
    spec.mesh.batch = stage > 0 ? 2 : 1;
    spec.state.stage = stage;
    const program::Plan plan = compiled_head(spec, true);
    CHECK(findings(plan) == "");
    std::vector<const program::Compute*> makers;
    for (const program::Instruction& instruction : plan.role(0).train.bodies.front()) {
      const auto* compute = std::get_if<program::Compute>(&instruction.action);
      if (compute == nullptr) continue;
      const bool head = compute->op->kind() == fused;
      if (head || compute->op->kind() == "embedding_backward_weight") makers.push_back(compute);
      if (instruction.phase == program::Phase::backward_weight) CHECK(compute->op->kind() != "add");
    }
    REQUIRE(makers.size() == 4);  // head and embedding of two micro-batches
    for (const int microbatch : {0, 1}) {
      const program::Compute &head = *makers[static_cast<std::size_t>(2 * microbatch)],
                             &table = *makers[static_cast<std::size_t>(2 * microbatch + 1)];
      CHECK(head.adds_to(4) == (stage == 0 && microbatch == 1));
      CHECK(table.adds_to(0));
      CHECK(head.outputs[4].view.buffer == table.outputs[0].view.buffer);
      CHECK(head.outputs[4].view.offset == table.outputs[0].view.offset);
    }
  }
}

TEST_CASE("with ZeRO stage 2 a fused linear cross-entropy overwrites the weight gradient and accumulates metrics") {
  StrategySpec spec = in_microbatches(2);
  spec.mesh.batch = 2;
  spec.state.stage = 2;
  const program::Plan plan = compiled_head(spec, false);
  CHECK(findings(plan) == "");
  CHECK(heads_of(plan.role(1).train.bodies.front()).back() == Head{fused, backward, true, {3, 4}});
}

TEST_CASE("a fused linear cross-entropy runs in the backward of the last stage, and its input is computed once") {
  for (const std::string schedule : {"gpipe", "1f1b"})
    for (const auto kind : {Recomputation::Kind::none, Recomputation::Kind::full}) {
      StrategySpec spec = in_microbatches(4);
      spec.mesh.stages = 2;
      spec.pipeline.schedule = find_schedule(schedule).schedule;
      spec.memory = {kind, {}};
      const program::Plan plan = compiled_head(spec, true);
      CHECK(findings(plan) == "");
      CHECK(heads_of(plan.role(1).train.bodies.front()).size() == 4);
      for (const Head& head : heads_of(plan.role(1).train.bodies.front())) CHECK(head.phase == backward);
      int heads = 0;
      std::vector<const program::Instruction*> waiting;  // producers of the inputs of heads that have not run yet
      for (const program::Instruction& instruction : plan.role(1).train.bodies.front()) {
        CHECK(instruction.phase != program::Phase::recompute);
        const auto* compute = std::get_if<program::Compute>(&instruction.action);
        if (instruction.name == "ln_f") waiting.push_back(&instruction);
        if (compute == nullptr || compute->op->kind() != fused) continue;
        if (kind == Recomputation::Kind::full) CHECK(waiting.size() == 1);  // computed directly before it is used
        const auto found = std::find_if(waiting.begin(), waiting.end(), [&](const program::Instruction* made) {
          return made->microbatch == instruction.microbatch;
        });
        REQUIRE(found != waiting.end());
        const program::Instruction* made = *found;
        CHECK(made->phase == program::Phase::forward);
        CHECK(std::get<program::Compute>(made->action).outputs[0].view == compute->inputs[0].view);
        ++heads;
        waiting.erase(found);
      }
      CHECK(heads == 4);
      CHECK(waiting.empty());
      const auto is_again = [](const program::Instruction& i) { return i.phase == program::Phase::recompute; };
      const auto& first = plan.role(0).train.bodies.front();
      CHECK(std::any_of(first.begin(), first.end(), is_again) == (kind == Recomputation::Kind::full));
    }
}

TEST_CASE("a dropped result that only the fused linear cross-entropy reads is computed once, in backward") {
  StrategySpec spec = in_microbatches(2);
  spec.memory = {Recomputation::Kind::selective, {"layer_norm"}};
  const program::Plan plan = compiled_head(spec, true);
  CHECK(findings(plan) == "");
  int made = 0, again = 0;
  for (const program::Instruction& instruction : plan.role(0).train.bodies.front()) {
    if (instruction.name == "ln_f") CHECK(instruction.phase == program::Phase::forward);
    made += instruction.name == "ln_f" ? 1 : 0;
    again += instruction.phase == program::Phase::recompute ? 1 : 0;
  }
  CHECK(made == 2);   // in each micro-batch
  CHECK(again == 4);  // the two norms of the block
}

TEST_CASE("a specification may request separate halves of the fused linear cross-entropy") {
  StrategySpec spec = in_microbatches(1);
  spec.pipeline.halves = graph::Halves::apart;
  const program::Plan plan = compiled_head(spec, false);
  CHECK(findings(plan) == "");
  CHECK(heads_of(plan.role(0).train.bodies.front()) ==
        std::vector<Head>{{"linear_cross_entropy", program::Phase::forward, false, {}},
                          {"linear_cross_entropy_backward_input", backward, false, {}},
                          {"linear_cross_entropy_backward_weight", program::Phase::backward_weight, false, {}}});
}

TEST_CASE("a schedule with separate weight gradients separates the halves of the fused linear cross-entropy") {
  for (const auto kind : {Recomputation::Kind::none, Recomputation::Kind::full}) {
    StrategySpec spec = in_microbatches(2);
    spec.mesh.stages = 2;
    spec.pipeline.schedule = weight_gradients_last;
    spec.memory = {kind, {}};
    const program::Plan plan = compiled_head(spec, true);
    CHECK(findings(plan) == "");
    std::vector<std::string> kinds;
    for (const Head& head : heads_of(plan.role(1).train.bodies.front())) kinds.push_back(head.kind);
    CHECK(std::count(kinds.begin(), kinds.end(), fused) == 0);
    CHECK(std::count(kinds.begin(), kinds.end(), "linear_cross_entropy_backward_weight") == 2);
  }
}
