#include "bench/case/replay.h"

#include <functional>

#include "catch.h"
#include "graph/ops/batch_norm.h"
#include "graph/ops/codec.h"
#include "graph/ops/low_rank.h"
#include "replayed.h"

using namespace ddlbench;
using namespace ddlbench::bench;
using namespace ddlbench::test;
using program::Instruction;

namespace {

SmallCase rounded(const std::string& strategy, int ranks, OptionValues options = {}, const char* wire = "bf16") {
  options["wire"] = std::string(wire);
  return four_layers(strategy, ranks, options);
}

}  // namespace

TEST_CASE("every strategy that rounds gradients on the wire is certified against its rule", "[case]") {
  std::vector<StrategyRun> ways;
  for (const int ranks : {2, 3, 4}) {
    ways.push_back({"ddp", ranks, {{"bucket_mebibytes", 0.002}, {"microbatches", std::int64_t{2}}}});
    ways.push_back({"lbann", ranks, {}});
    for (const std::int64_t stage : {1, 2, 3}) ways.push_back({"zero", ranks, zero(stage, 2)});
  }
  ways.push_back({"hierarchical", 4, {{"node_ranks", std::int64_t{2}}}});
  for (const StrategyRun& way : ways)
    for (const char* wire : {"bf16", "fp16"}) {
      const SmallCase small = rounded(way.strategy, way.ranks, way.options, wire);
      RecordedProgress heard;
      const Measurement found = run_case(small.experiment, small.which, "", heard);
      INFO(way.strategy << " on " << way.ranks << " with " << wire << ": " << found.certificate_reason);
      CHECK(found.promise == "lossy");
      CHECK(found.certified);
    }
}

namespace {

SmallCase corrected(int ranks, std::int64_t warm_up_steps = 0) {
  SmallCase small = four_layers("compressed", ranks,
                                {{"codec", Nested{{"top_k", {{"density", 0.05}}}}},
                                 {"momentum_correction", 0.9},
                                 {"warm_up_steps", warm_up_steps},
                                 {"bucket_mebibytes", 0.002}});
  small.experiment.training.optimizer = {"sgd", {{"learning_rate", 0.05}, {"momentum", 0.0}}};
  return small;
}

}  // namespace

TEST_CASE("deep gradient compression is certified against its rule", "[case][mutants]") {
  for (const int ranks : {2, 3})
    for (const std::int64_t warm_up : {0, 3}) {
      const SmallCase small = corrected(ranks, warm_up);
      RecordedProgress heard;
      const Measurement found = run_case(small.experiment, small.which, "", heard);
      INFO(ranks << " ranks, warm-up of " << warm_up << ": " << found.certificate_reason);
      CHECK(found.certified);
    }
  CHECK(certificate_of({corrected(2)}).holds());
  CHECK_FALSE(certificate_of({corrected(2), without_any("correct momentum")}).holds());
  CHECK_FALSE(certificate_of({corrected(2), without_any("clear sent momentum")}).holds());
}

TEST_CASE("compressed training is certified against its rule, with every codec", "[case]") {
  for (const graph::CodecKind& kind : graph::codec_kinds())
    for (const int ranks : {2, 3})
      for (const char* feedback : {"yes", "no"}) {
        // Gradients are below the default threshold.
        const OptionValues threshold = kind.name == "two_bit" ? OptionValues{{"threshold", 0.001}} : OptionValues{};
        OptionValues options{{"codec", Nested{{kind.name, threshold}}},
                             {"error_feedback", std::string(feedback)},
                             {"bucket_mebibytes", 0.002},
                             {"microbatches", std::int64_t{2}}};
        const SmallCase small = four_layers("compressed", ranks, options);
        RecordedProgress heard;
        const Measurement found = run_case(small.experiment, small.which, "", heard);
        INFO(kind.name << " on " << ranks << ", error feedback " << feedback << ": " << found.certificate_reason);
        CHECK(found.promise == "lossy");
        CHECK(found.certified);
      }
}

TEST_CASE("PowerSGD is certified against its rule", "[case]") {
  for (const int ranks : {2, 3, 4})
    for (const std::int64_t rank : {1, 2, 4})
      for (const char* precision : {"fp32", "bf16"}) {
        SmallCase small = four_layers(
            "power_sgd", ranks,
            {{"matrix_approximation_rank", rank}, {"bucket_mebibytes", 0.002}, {"microbatches", std::int64_t{2}}});
        small.experiment.training.precision = precision;
        RecordedProgress heard;
        const Measurement found = run_case(small.experiment, small.which, "", heard);
        INFO("rank " << rank << " on " << ranks << " in " << precision << ": " << found.certificate_reason);
        CHECK(found.promise == "lossy");
        CHECK(found.certified);
      }
}

TEST_CASE("PowerSGD over two axes is certified against its rule", "[case]") {
  OptionValues options = mesh({{"replica", 2}, {"data", 2}}, 1);
  options["matrix_approximation_rank"] = std::int64_t{2};
  const SmallCase small = four_layers("hybrid", 4, options);
  RecordedProgress heard;
  const Measurement found = run_case(small.experiment, small.which, "", heard);
  INFO(found.certificate_reason);
  CHECK(found.promise == "lossy");
  CHECK(found.certified);
}

TEST_CASE("a rule that changes nothing replays one-rank training") {
  SmallCase small = four_layers("ddp", 3, parts(2));
  const Setup setup = prepare(small.experiment, small.which, open_data(small.experiment));
  RecordedProgress heard;
  std::ostringstream log;
  Heartbeat heartbeat(heard, 4 * replayed_steps, log);
  const Reference one_rank = run_reference(setup, replayed_steps, heartbeat);
  program::UpdateRule sum;
  sum.ranks = 3;
  std::vector<program::BucketRule>& buckets = sum.steps.emplace_back().buckets;
  for (const auto& [name, values] : one_rank.trace.first_gradients) {
    program::BucketRule& bucket = buckets.emplace_back();
    bucket.parts = {{name, {0, static_cast<std::int64_t>(values.size())}}};
  }
  const Reference replayed = run_replay(setup, sum, 2, {0, replayed_steps}, heartbeat);
  const runtime::Certificate certificate = runtime::certify(replayed.trace, one_rank.trace, one_rank.noise);
  CHECK(certificate.holds());
  CHECK(certificate.measured.gradient < 1e-5);
  buckets.pop_back();
  CHECK_THROWS_WITH(run_replay(setup, sum, 2, {0, replayed_steps}, heartbeat),
                    Catch::Contains("the rule lacks elements of"));
}

// The floor of the tolerances of gradients is 1e-3; rounding to bf16 changes them by more.
TEST_CASE("the certificate catches a training that departs from its rule", "[mutants]") {
  const SmallCase small = rounded("ddp", 2);
  CHECK(certificate_of({small}).holds());
  const auto without_any = [](program::UpdateRule& rule) {
    rule.steps.front().buckets[0].encode_sum = rule.steps.front().buckets[0].decode_sum = nullptr;
    rule.steps.front().buckets[0].encode = rule.steps.front().buckets[0].decode = nullptr;
  };
  CHECK_FALSE(certificate_of({small, [](program::Plan&) {}, without_any}).holds());
  const auto drop = [](const std::string& name) {
    return [name](program::Plan& plan) {
      std::size_t removed = 0;
      for (program::Role& role : plan.roles) {
        bool found = false;
        removed += std::erase_if(role.train.bodies.front(), [&](const Instruction& one) {
          return is_named(one, name) && std::exchange(found, true);
        });
      }
      REQUIRE(removed > 0);
    };
  };
  CHECK_FALSE(certificate_of({small, drop("sum parts of")}).holds());
}

TEST_CASE("the certificate catches a wrong compression", "[mutants]") {
  const SmallCase small = four_layers("compressed", 2, {{"codec", Nested{{"one_bit", {}}}}});
  CHECK(certificate_of({small}).holds());
  const auto changed = [](const auto& change) {
    return [change](program::Plan& plan) {
      std::size_t count = 0;
      for (program::Role& role : plan.roles)
        for (Instruction& instruction : role.train.bodies.front())
          if (auto* compute = std::get_if<program::Compute>(&instruction.action)) count += change(*compute) ? 1 : 0;
      REQUIRE(count > 0);
    };
  };
  const auto drop_residual = changed([](program::Compute& compute) {
    const auto* encode = dynamic_cast<const graph::Encode*>(compute.op.get());
    if (encode == nullptr) return false;
    compute.op = std::make_shared<graph::Encode>(encode->codec, false, encode->stream);
    compute.inputs.resize(1), compute.outputs.resize(1);
    return true;
  });
  const auto lose_a_rank = changed([](program::Compute& compute) {
    const auto* decode = dynamic_cast<const graph::Decode*>(compute.op.get());
    if (decode == nullptr) return false;
    compute.op = std::make_shared<graph::Decode>(decode->codec, decode->elements, 1, decode->to);
    compute.inputs[0].view.bytes /= 2, compute.inputs[0].type.shape[0] /= 2;
    return true;
  });
  CHECK_FALSE(certificate_of({small, drop_residual}).holds());
  CHECK_FALSE(certificate_of({small, lose_a_rank}).holds());
}

TEST_CASE("the certificate catches a wrong PowerSGD", "[mutants]") {
  const SmallCase small = four_layers("power_sgd", 2, {{"matrix_approximation_rank", std::int64_t{1}}});
  CHECK(certificate_of({small}).holds());
  const auto op_of = []<class Op>(const Instruction& instruction, const Op*) {
    const auto* compute = std::get_if<program::Compute>(&instruction.action);
    return compute == nullptr ? nullptr : dynamic_cast<const Op*>(compute->op.get());
  };
  /// Inserts an instruction that makes an output of each `Op` zero.
  const auto clear_output = [&]<class Op>(program::Role& role, const Op* kind, std::size_t output) {
    std::vector<Instruction> body;
    for (const Instruction& instruction : role.train.bodies.front()) {
      body.push_back(instruction);
      if (op_of(instruction, kind) == nullptr) continue;
      const program::Operand target = std::get<program::Compute>(instruction.action).outputs[output];
      body.push_back(instruction);
      body.back().action =
          program::Compute{{std::make_shared<graph::StatisticUpdate>(1.0F, 0.0F)}, {target, target}, {target}};
    }
    REQUIRE(body.size() > role.train.bodies.front().size());
    role.train.bodies.front() = std::move(body);
  };
  const auto drop_residual = [&](program::Plan& plan) {
    for (program::Role& role : plan.roles)
      clear_output(role, static_cast<const graph::LowRankReconstruct*>(nullptr), 1);
  };
  const auto lose_p_of_a_rank = [&](program::Plan& plan) {
    plan.roles.push_back(plan.roles[0]);
    plan.role_of_rank[1] = 1;
    clear_output(plan.roles[1], static_cast<const graph::LowRankProject*>(nullptr), 0);
  };
  /// Q goes to other memory than that from which the next step reads it.
  const auto start_cold = [&](program::Plan& plan) {
    std::size_t count = 0;
    program::Program& train = plan.roles[0].train;
    std::map<std::int64_t, program::View> elsewhere;  // by offset of the old place
    const auto move = [&](program::Operand& operand) {
      program::View& view = elsewhere[operand.view.offset];
      if (view.buffer == program::none) {
        view = {static_cast<program::BufferId>(train.buffers.size()), 0, operand.view.bytes, 0};
        train.buffers.push_back({"Q", program::MemoryClass::communication, view.bytes, false, 1, program::none});
      }
      operand.view = view;
      ++count;
    };
    for (Instruction& instruction : train.bodies.front()) {
      if (auto* call = std::get_if<program::CollectiveCall>(&instruction.action))
        if (is_named(instruction, "sum Q of")) move(call->input), call->output = call->input;
      if (op_of(instruction, static_cast<const graph::LowRankProjectBack*>(nullptr)) != nullptr)
        move(std::get<program::Compute>(instruction.action).outputs[0]);
      const auto* last = op_of(instruction, static_cast<const graph::LowRankReconstruct*>(nullptr));
      if (last != nullptr && !last->layout.matrices.empty())
        move(std::get<program::Compute>(instruction.action).inputs[1]);
    }
    REQUIRE(count >= 3);
  };
  const auto without = [](const std::string& name) {
    return [name](program::Plan& plan) {
      REQUIRE(std::erase_if(plan.roles[0].train.bodies.front(),
                            [&](const Instruction& one) { return is_named(one, name); }) > 0);
    };
  };
  CHECK_FALSE(certificate_of({small, drop_residual}).holds());
  CHECK_FALSE(certificate_of({small, lose_p_of_a_rank}).holds());
  CHECK_FALSE(certificate_of({small, start_cold}).holds());
  for (const char* name : {"sum P and vectors of", "orthogonalise P of", "sum Q of"})
    CHECK_FALSE(certificate_of({small, without(name)}).holds());
}
