#include <algorithm>
#include <map>

#include "catch.h"
#include "compiled.h"
#include "graph/ops/loss.h"
#include "strategies/compile.h"
#include "strategies/inter_layer/schedules.h"

using namespace ddlbench;
using namespace ddlbench::strategies;

namespace {

constexpr std::int64_t text_batch = 8, text_length = 16;

/// Compiles a model of transformer blocks over text, its head fused with the loss.
program::Plan compiled_head(const StrategySpec& spec, bool tied, std::int64_t layers = 1) {
  const workloads::ModelKind& model = workloads::find_model("tiny-gpt");
  workloads::SampleShape text;
  text.sample = {{text_length}, graph::DType::i32};
  text.label = {text_length};
  text.classes = 64;
  const graph::Graph graph = model.build({text, text_batch,
                                          with_defaults(model.options, {{"layers", layers},
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
  for (const Schedule& schedule : {Schedule(accumulate_schedule), Schedule(weight_gradients_last)})
    for (const int stage : {0, 2}) {
      CAPTURE(stage);
      StrategySpec spec = in_microbatches(2);
      spec.pipeline.schedule = schedule;
      spec.mesh.batch = stage > 0 ? 2 : 1;
      spec.state.stage = stage;
      const program::Plan plan = compiled_head(spec, true);
      CHECK(findings(plan) == "");
      std::vector<const program::Compute*> heads, tables;  // by micro-batch
      for (const program::Instruction& instruction : plan.role(0).train.bodies.front()) {
        const auto* compute = std::get_if<program::Compute>(&instruction.action);
        if (compute == nullptr) continue;
        if (compute->op->kind() == fused) heads.push_back(compute);
        if (compute->op->kind() == "embedding_backward_weight") {
          tables.push_back(compute);
          CHECK(heads.size() >= tables.size());
        }
        if (instruction.phase == program::Phase::backward_weight) CHECK(compute->op->kind() != "add");
      }
      REQUIRE(heads.size() == 2);
      REQUIRE(tables.size() == 2);
      for (const std::size_t microbatch : {0, 1}) {
        const program::Compute &head = *heads[microbatch], &table = *tables[microbatch];
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
  for (const Schedule& schedule :
       {find_schedule("gpipe").schedule, find_schedule("1f1b").schedule, find_schedule("zb_h1").schedule,
        find_schedule("zb_h2").schedule, Schedule(weight_gradients_last)})
    for (const auto kind : {Recomputation::Kind::none, Recomputation::Kind::full}) {
      StrategySpec spec = in_microbatches(4);
      spec.mesh.stages = 2;
      spec.pipeline.schedule = schedule;
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

TEST_CASE("a schedule with separate weight gradients computes a fused head once per micro-batch, in the input half") {
  constexpr int microbatches = 4;
  for (const char* schedule : {"zb_h1", "zb_h2", "zb_auto", "zb_v", "v_half", "v_min"})
    for (const int ranks : {1, 2, 3, 4})
      for (const Recomputation& memory : {Recomputation{}, Recomputation{Recomputation::Kind::full, {}},
                                          Recomputation{Recomputation::Kind::selective, {"layer_norm", "gelu"}}})
        for (const bool tied : {false, true}) {
          INFO(schedule << " on " << ranks << " tied " << tied << " recompute " << static_cast<int>(memory.kind));
          StrategySpec spec = in_microbatches(microbatches);
          spec.mesh.stages = ranks;
          spec.pipeline = pipeline_of(find_schedule(schedule), 1);
          spec.memory = memory;
          const program::Plan plan = compiled_head(spec, tied, 2);
          CHECK(findings(plan) == "");
          std::vector<Head> heads;
          for (int rank = 0; rank < ranks; ++rank)
            for (const Head& head : heads_of(plan.role(rank).train.bodies.front())) heads.push_back(head);
          CHECK(heads.size() == microbatches);
          for (const Head& head : heads) {
            CHECK(head.kind == fused);
            CHECK(head.phase == backward);
          }
        }
}

TEST_CASE("hybrids with separate weight gradients and a fused head compile to valid plans") {
  for (const char* schedule : {"zb_h1", "zb_h2", "zb_auto", "zb_v", "v_half", "v_min"})
    for (const auto kind : {Recomputation::Kind::none, Recomputation::Kind::full})
      for (const bool tied : {false, true}) {
        INFO(schedule << " tied " << tied << " recompute " << static_cast<int>(kind));
        StrategySpec spec = in_microbatches(4);
        spec.mesh.stages = 2;
        spec.pipeline = pipeline_of(find_schedule(schedule), 1);
        spec.memory = {kind, {}};
        spec.mesh.features = 2;
        CHECK(findings(compiled_head(spec, tied)) == "");
        spec.mesh.features = 1;
        spec.mesh.batch = 2;
        for (const int stage : {0, 1, 2, 3}) {
          CAPTURE(stage);
          spec.state.stage = stage;
          CHECK(findings(compiled_head(spec, tied)) == "");
        }
      }
}

TEST_CASE("with full recomputation the weight half reads what the input half recomputed") {
  StrategySpec spec = in_microbatches(2);
  spec.mesh.stages = 2;
  spec.pipeline.schedule = weight_gradients_last;
  spec.memory = {Recomputation::Kind::full, {}};
  const program::Plan plan = compiled_head(spec, true);
  std::map<std::string, int> made;
  for (const program::Instruction& instruction : plan.role(1).train.bodies.front())
    if (std::holds_alternative<program::Compute>(instruction.action)) ++made[instruction.name];
  CHECK(made["ln_f"] == 2);  // once for each micro-batch, although its gradient in the weight half reads it, too
  CHECK(made["ln_f.backward_weight"] == 2);
}

TEST_CASE("a fused head whose input depends on no parameter computes a gradient that nothing reads") {
  graph::Graph g;
  g.name = "head";
  const auto x = g.add_tensor({"x", {{text_batch, 4}, graph::DType::f32}, graph::Role::input});
  const auto labels = g.add_tensor({"labels", {{text_batch}, graph::DType::i32}, graph::Role::label});
  const auto weight = g.add_tensor({"weight", {{5, 4}, graph::DType::f32}, graph::Role::parameter});
  for (const auto metric : g.add("loss", std::make_shared<graph::LinearCrossEntropy>(), {x, weight, labels}))
    g.tensors[static_cast<std::size_t>(metric)].role = graph::Role::metric;
  for (const int data : {1, 2}) {
    StrategySpec spec = in_microbatches(2);
    spec.mesh.batch = data;
    const program::CostTable costs;
    program::Plan plan = compile({g, text_batch, data, graph::sgd({.momentum = 0.9f}), costs}, spec);
    program::complete(plan, costs);
    CHECK(findings(plan) == "");
    CHECK(heads_of(plan.role(0).train.bodies.front()).size() == 2);
  }
}
