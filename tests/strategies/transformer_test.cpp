#include "catch.h"
#include "compiled.h"
#include "failure.h"

using namespace ddlbench;
using namespace ddlbench::strategies;

namespace {

constexpr std::int64_t gpt_batch = 8, gpt_positions = 16, hidden = 40;

/// Compiles a model of two transformer blocks over texts of 16 bytes.
program::Plan compiled_gpt(const std::string& strategy, int ranks, OptionValues options = {}, std::int64_t heads = 4,
                           bool tied = true) {
  const workloads::ModelKind& model = workloads::find_model("tiny-gpt");
  workloads::SampleShape text;
  text.sample = {{gpt_positions}, graph::DType::i32};
  text.label = {gpt_positions};
  text.classes = 256;
  const graph::Graph graph =
      model.build({text, gpt_batch,
                   with_defaults(model.options,
                                 {{"layers", std::int64_t{2}}, {"heads", heads}, {"hidden", hidden}, {"tied", tied}})});
  const StrategyKind& kind = find_strategy(strategy);
  const program::CostTable costs;
  program::Plan plan = kind.compile({graph, gpt_batch, ranks, graph::sgd({.momentum = 0.9f}), costs}, options);
  program::complete(plan, costs);
  return plan;
}

std::string rejection_of_heads(int ranks, std::int64_t heads) {
  return test::failure_of<Unsupported>([&] { compiled_gpt("tensor", ranks, {}, heads); });
}

}  // namespace

TEST_CASE("a transformer compiles to valid plans on 1 to 4 ranks") {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    CHECK(findings(compiled_gpt("tensor", ranks)) == "");
    CHECK(findings(compiled_gpt("tensor", ranks, {{"microbatches", std::int64_t{2}}}, 5)) == "");
    CHECK(findings(compiled_gpt("gpipe", ranks, {{"microbatches", std::int64_t{4}}}, 4, false)) == "");
    if (gpt_batch % ranks == 0) CHECK(findings(compiled_gpt("ddp", ranks)) == "");
  }
  CHECK(findings(compiled_gpt("hybrid", 4, mesh({{"data", 2}, {"tensor", 2}}, 2))) == "");
  CHECK(findings(compiled_gpt("hybrid", 8, mesh({{"data", 2}, {"tensor", 2}, {"pipeline", 2}}, 2), 4, false)) == "");
}

// Shoeybi et al.: per block, two all-reduces of batch x positions x hidden forward and two backward. Here 8·16·40 f32
// are 20,480 bytes, and 2 blocks have 8 all-reduces; each sends 2(n−1)·S over all ranks.
TEST_CASE("tensor parallelism of a transformer communicates four all-reduces per block and nothing else") {
  CHECK(sent_by_all(compiled_gpt("tensor", 2)) == std::map<std::string, std::int64_t>{{"all_reduce", 327680}});
  CHECK(sent_by_all(compiled_gpt("tensor", 4)) == std::map<std::string, std::int64_t>{{"all_reduce", 983040}});
  CHECK(sent_by_all(compiled_gpt("tensor", 2, {{"microbatches", std::int64_t{4}}})) ==
        std::map<std::string, std::int64_t>{{"all_reduce", 327680}});
}

TEST_CASE("attention is split by whole heads, evenly or not, and too few heads are rejected") {
  const program::Plan plan = compiled_gpt("tensor", 2, {}, 5);
  for (const program::StateShard& shard : plan.role(0).state)
    if (shard.tensor == "h.0.attn.c_attn.weight" && shard.memory_class == program::MemoryClass::parameters)
      CHECK(shard.box[0] == graph::Extent{0, 3 * 3 * 8});  // three of five heads of 8 features
  for (const program::StateShard& shard : plan.role(1).state)
    if (shard.tensor == "h.0.attn.c_proj.weight" && shard.memory_class == program::MemoryClass::parameters)
      CHECK(shard.box[1] == graph::Extent{3 * 8, 5 * 8});
  CHECK(rejection_of_heads(8, 5) ==
        "tensor parallelism cannot split the 5 heads of layer 'h.0.attn.c_attn' over 8 ranks; use at most 5");
}

TEST_CASE("a block is split except for its norms and the biases after sums; embedding table and head stay whole") {
  // 256·40 embedding table, 16·40 positions, five norms of 2·40, and per block 2·40 biases of its two row-split layers.
  const std::int64_t whole = 256 * 40 + 16 * 40 + 5 * 2 * 40 + 2 * 2 * 40;
  const std::int64_t split = 2 * (3 * 40 * 40 + 3 * 40 + 40 * 40 + 160 * 40 + 160 + 40 * 160);
  CHECK(parameter_bytes(compiled_gpt("single", 1), 0) == 4 * (whole + split));
  for (int rank = 0; rank < 2; ++rank)
    CHECK(parameter_bytes(compiled_gpt("tensor", 2), rank) == 4 * (whole + split / 2));
  // An untied head has its own weight, also whole: its columns would only be gathered again.
  CHECK(parameter_bytes(compiled_gpt("tensor", 2, {}, 4, false), 0) == 4 * (whole + 256 * 40 + split / 2));
}
