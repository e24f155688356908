#include "catch.h"
#include "compiled.h"
#include "failure.h"
#include "program/samples.h"

namespace ddlbench::strategies {
namespace {

constexpr std::int64_t balanced_batch = 48;

OptionValues at_speeds(Integers speeds, OptionValues more = {}) {
  more["speeds"] = std::move(speeds);
  return more;
}

/// Returns the numbers of samples that the ranks train in a step.
Integers samples_of_ranks(const program::Plan& plan) {
  Integers samples;
  for (int rank = 0; rank < plan.ranks(); ++rank)
    samples.push_back(plan.role(rank).train.inputs.front().operand.type.shape.front());
  return samples;
}

std::vector<std::string> names_of_roles(const program::Plan& plan) {
  std::vector<std::string> names;
  for (const program::Role& role : plan.roles) names.push_back(role.name);
  return names;
}

double flops_of_layers(const program::Plan& plan, int rank) {
  const auto flops = program::account(plan, rank).flops;
  return flops.at(program::Phase::forward) + flops.at(program::Phase::backward_weight);
}

graph::Graph normalised_model(std::int64_t samples_per_statistic) {
  const workloads::ModelKind& kind = workloads::find_model("resnet18");
  const OptionValues options{{"samples_per_statistic", samples_per_statistic}};
  return kind.build({{{{3, 32, 32}, graph::DType::f32}, {}, 10}, balanced_batch, with_defaults(kind.options, options)});
}

program::Plan balanced_plan(const graph::Graph& model, const std::string& strategy, int ranks,
                            const OptionValues& options) {
  const StrategyKind& kind = find_strategy(strategy);
  const program::CostTable costs;
  program::Plan plan = kind.compile({model, balanced_batch, ranks, graph::sgd({}), costs}, options);
  program::complete(plan, costs);
  return plan;
}

}  // namespace

TEST_CASE("balanced gives each rank samples in proportion to its speed") {
  const program::Plan plan = compiled("balanced", 2, balanced_batch, at_speeds({2, 1}));
  CHECK(findings(plan) == "");
  CHECK(samples_of_ranks(plan) == Integers{32, 16});
  CHECK(plan.choices == std::vector<std::string>{"samples of each micro-batch: 32, 16"});
  CHECK(names_of_roles(plan) == std::vector<std::string>{"data=0", "data=1"});
  CHECK(flops_of_layers(plan, 0) == Approx(2 * flops_of_layers(plan, 1)));

  const program::Plan parts =
      compiled("balanced", 3, balanced_batch, at_speeds({5, 1, 5}, {{"microbatches", std::int64_t{3}}}));
  CHECK(parts.shares == Integers{8, 1, 7});
  CHECK(samples_of_ranks(parts) == Integers{24, 3, 21});
  const program::InputSlot& slot = parts.role(1).train.inputs.front();
  CHECK(program::samples_of(parts, 1, slot, 0) == graph::Extent{8, 9});
  CHECK(program::samples_of(parts, 1, slot, 2) == graph::Extent{40, 41});
  CHECK(program::samples_of(parts, 2, parts.role(2).train.inputs.front(), 2) == graph::Extent{41, 48});
}

TEST_CASE("balanced sends as many bytes as ddp") {
  for (const int ranks : {2, 3, 4}) {
    Integers speeds{4, 1, 3, 2};
    speeds.resize(static_cast<std::size_t>(ranks));
    const program::Plan plan = compiled("balanced", ranks, balanced_batch, at_speeds(speeds));
    const program::Plan equal = compiled("ddp", ranks, balanced_batch);
    CHECK(findings(plan) == "");
    for (int rank = 0; rank < ranks; ++rank)
      CHECK(program::account(plan, rank).sent_bytes == program::account(equal, rank).sent_bytes);
  }
}

TEST_CASE("ranks of equal speed share a role, and with equal speeds balanced is ddp") {
  const program::Plan plan = compiled("balanced", 4, balanced_batch, at_speeds({3, 3, 1, 1}));
  CHECK(names_of_roles(plan) == std::vector<std::string>{"data=0..1", "data=2..3"});
  const program::Plan equal = compiled("balanced", 4, balanced_batch, at_speeds({7, 7, 7, 7}));
  CHECK(equal.shares.empty());
  CHECK(equal.choices.empty());
  CHECK(names_of_roles(equal) == names_of_roles(compiled("ddp", 4, balanced_batch)));
}

TEST_CASE("uneven shares combine with every axis, with sharded state and with updates in backward") {
  const AxisSizes stages{{"data", 3}, {"pipeline", 2}}, split{{"data", 2}, {"tensor", 2}};
  const AxisSizes nodes{{"replica", 2}, {"data", 2}};
  for (const std::int64_t stage : {0, 1, 2, 3})
    for (const std::string model : {"lenet", "mlp"}) {
      INFO("zero " << stage << " of " << model);
      const auto checked = [&](AxisSizes axes, Integers speeds, const std::string& schedule = {}) {
        OptionValues options = at_speeds(std::move(speeds), mesh(std::move(axes), 2));
        options["zero"] = stage;
        if (!schedule.empty()) options["schedule"] = schedule;
        int ranks = 1;
        for (const auto& axis : value_of<AxisSizes>(options, "mesh")) ranks *= axis.second;
        const program::Plan plan = compiled("hybrid", ranks, balanced_batch, options, model);
        CHECK(findings(plan) == "");
        return plan;
      };
      checked({{"data", 4}}, {1, 2, 2, 5});
      checked(stages, {3, 1, 2}, "1f1b");
      checked(split, {5, 3});
      CHECK(samples_of_ranks(checked(nodes, {1, 2, 3, 6})) == Integers{4, 8, 12, 24});
    }
  OptionValues early = at_speeds({1, 2}, {{"update_in_backward", true}});
  CHECK(findings(compiled("balanced", 2, balanced_batch, early)) == "");
  OptionValues hierarchical = at_speeds({2, 1, 2, 1}, mesh(nodes, 1));
  hierarchical["hierarchical"] = true;
  const program::Plan plan = compiled("hybrid", 4, balanced_batch, hierarchical);
  CHECK(findings(plan) == "");
  CHECK(names_of_roles(plan) == std::vector<std::string>{"replica=0 data=0", "replica=0 data=1"});
  CHECK(plan.role_of_rank == std::vector<int>{0, 1, 0, 1});
}

// 48 samples in groups of 12 are 4 groups: 3 and 1 at speeds of 2 and 1.
TEST_CASE("a rank has whole groups of samples that are normalised together") {
  const program::Plan plan = balanced_plan(normalised_model(12), "balanced", 2, at_speeds({2, 1}));
  CHECK(findings(plan) == "");
  CHECK(plan.shares == Integers{36, 12});
  CHECK(sent_by_all(plan).count("all_gather") == 0);
}

// 48 samples at speeds of 5 and 3 are 30 and 18, which have 5 and 3 parts of 6 samples: of each part and channel, 16
// bytes of moments go to the other rank.
TEST_CASE("batch norm over the whole batch combines the moments of common parts of the shares") {
  const graph::Graph model = normalised_model(0);
  std::int64_t channels = 0;
  for (const graph::Node& node : model.nodes)
    if (node.op->kind() == "batch_norm")
      channels += model.tensors[static_cast<std::size_t>(node.inputs[0])].type.shape[1];
  const program::Plan plan = balanced_plan(model, "balanced", 2, at_speeds({5, 3}));
  CHECK(findings(plan) == "");
  CHECK(sent_by_all(plan).at("all_gather") == 8 * 16 * channels);
}

TEST_CASE("speeds that do not fit are rejected") {
  const auto said = [](const std::string& strategy, int ranks, OptionValues options, const std::string& model = "mlp") {
    return test::failure_of([&] { compiled(strategy, ranks, balanced_batch, std::move(options), model); });
  };
  CHECK(said("balanced", 2, {}) == "speeds has no number; give one for each rank, such as [2, 1]");
  CHECK(said("balanced", 2, at_speeds({3, 2, 1})) ==
        "speeds has 3 numbers, but the mesh has 2 data-parallel ranks; give one for each");
  CHECK(said("hybrid", 2, at_speeds({2, 1}, mesh({{"tensor", 2}}, 1))) ==
        "speeds has no effect where the mesh has no data axis; leave it out, or add the axis");
  CHECK(said("balanced", 2, at_speeds({1000, 1})) ==
        "data-parallel rank 1 would have none of the 48 samples of a micro-batch, because its speed is 1 of 1001; use "
        "larger micro-batches, or train without this rank");
  CHECK(said("balanced", 2, at_speeds({2, 1}, {{"microbatches", std::int64_t{5}}})) ==
        "a global batch of 48 does not divide into 5 micro-batches; use a multiple of 5");
  OptionValues rounded = at_speeds({2, 1}, mesh({{"data", 2}}, 1));
  rounded["wire"] = std::string("bf16");
  CHECK(said("hybrid", 2, rounded) == "wire needs ranks that have equally many samples; leave it out, or speeds");
  rounded.erase("wire");
  rounded["codec"] = Nested{{"one_bit", {}}};
  CHECK(said("hybrid", 2, rounded) == "codec needs ranks that have equally many samples; leave it out, or speeds");
}

TEST_CASE("the number of speeds is the number of ranks") {
  const StrategyKind& kind = find_strategy("balanced");
  CHECK(kind.fixed_ranks({{"speeds", Integers{4, 2, 1}}}) == 3);
  CHECK_THROWS_AS(kind.fixed_ranks({{"speeds", Integers{}}}), InputError);
  CHECK_THROWS_AS(kind.fixed_ranks({{"speeds", Integers(4097, 1)}}), InputError);
  CHECK(find_strategy("ddp").fixed_ranks == nullptr);
}

}  // namespace ddlbench::strategies
