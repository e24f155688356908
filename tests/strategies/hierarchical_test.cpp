#include "catch.h"
#include "compiled.h"
#include "failure.h"

namespace ddlbench::strategies {
namespace {

constexpr std::int64_t batch = 48;

OptionValues nodes_of(std::int64_t ranks, OptionValues more = {}) {
  more["node_ranks"] = ranks;
  return more;
}

std::size_t reductions(const program::Plan& plan) {
  std::size_t count = 0;
  for (const program::Instruction& instruction : plan.role(0).train.bodies.front())
    if (instruction.name.starts_with("reduce bucket")) ++count;
  return count;
}

}  // namespace

TEST_CASE("data parallelism over nodes compiles to valid plans") {
  for (const std::string model : {"lenet", "mlp"})
    for (const auto& [ranks, node] : {std::pair{4, 2}, {6, 2}, {6, 3}, {8, 4}}) {
      INFO(model << " on " << ranks << " in nodes of " << node);
      CHECK(findings(compiled("hierarchical", ranks, batch, nodes_of(node), model)) == "");
      CHECK(findings(compiled("hierarchical", ranks, batch,
                              nodes_of(node, {{"microbatches", std::int64_t{2}}, {"overlap", false}}), model)) == "");
      for (const std::int64_t stage : {1, 2, 3})
        CHECK(findings(compiled("zero", ranks, batch,
                                nodes_of(node, {{"stage", stage}, {"microbatches", std::int64_t{2}}}), model)) == "");
      CHECK(findings(compiled("fsdp", ranks, batch, nodes_of(node), model)) == "");
    }
  CHECK(findings(compiled("hybrid", 8, batch,
                          {{"mesh", AxisSizes{{"replica", 2}, {"data", 2}, {"pipeline", 2}}},
                           {"microbatches", std::int64_t{4}},
                           {"hierarchical", true}})) == "");
  CHECK(findings(compiled("hybrid", 8, batch,
                          {{"mesh", AxisSizes{{"replica", 2}, {"data", 2}, {"tensor", 2}}},
                           {"microbatches", std::int64_t{1}},
                           {"zero", std::int64_t{2}}})) == "");
}

// With k nodes of m ranks, the reduce-scatters of all nodes send k(m−1)·S, and so do the gathers; m all-reduces over k
// ranks of parts of S/m send 2(k−1)·S. S = 44,426 parameters × 4 bytes.
TEST_CASE("hierarchical sends whole gradients within a node only") {
  constexpr std::int64_t bytes = lenet_parameters * 4;
  for (const auto& [ranks, m] : {std::pair{4, 2}, {6, 2}, {6, 3}, {8, 2}}) {
    const std::int64_t k = ranks / m;
    INFO(k << " nodes of " << m);
    CHECK(sent_by_all(compiled("hierarchical", ranks, batch, nodes_of(m))) ==
          std::map<std::string, std::int64_t>{{"reduce_scatter", k * (m - 1) * bytes},
                                              {"all_reduce", 2 * (k - 1) * bytes},
                                              {"all_gather", k * (m - 1) * bytes}});
  }
  CHECK(sent_by_all(compiled("hierarchical", 2, batch, nodes_of(2))) == sent_by_all(compiled("ddp", 2, batch)));
}

// Sharding within nodes sends what zero sends there, and an all-reduce of the shards between nodes.
TEST_CASE("zero over nodes shards within a node and keeps replicas between nodes") {
  constexpr std::int64_t bytes = lenet_parameters * 4;
  const program::Plan plan = compiled("zero", 4, batch, nodes_of(2, {{"stage", std::int64_t{1}}}));
  CHECK(sent_by_all(plan) == std::map<std::string, std::int64_t>{
                                 {"reduce_scatter", 2 * bytes}, {"all_reduce", 2 * bytes}, {"all_gather", 2 * bytes}});
  const auto state = static_cast<std::size_t>(program::MemoryClass::optimizer_state);
  CHECK(program::account(plan, 0).persistent_bytes_by_class[state] == bytes / 2);
}

TEST_CASE("nodes must divide the ranks, and need to have an effect") {
  const auto said = [](const std::string& strategy, int ranks, OptionValues options) {
    return test::failure_of([&] { compiled(strategy, ranks, batch, std::move(options)); });
  };
  CHECK(said("hierarchical", 3, nodes_of(2)) ==
        "3 data-parallel ranks do not divide into nodes of 2; use a multiple of 2 ranks");
  CHECK(said("hybrid", 4, mesh({{"replica", 2}, {"data", 2}}, 1)) == "nothing was thrown");
  OptionValues both = mesh({{"replica", 2}, {"data", 4}}, 1);
  both["node_ranks"] = std::int64_t{2};
  CHECK(said("hybrid", 8, both) ==
        "node_ranks splits the data axis, but the mesh has a replica axis already; leave one of them out");
  OptionValues flat = mesh({{"data", 2}}, 1);
  flat["hierarchical"] = true;
  CHECK(said("hybrid", 2, flat) ==
        "hierarchical has no effect without nodes; add a replica axis to the mesh, or node_ranks");
}

// lenet has two convolutions and three linear layers, each with weight and bias.
TEST_CASE("lbann reduces the gradients of each layer with one all-reduce") {
  const program::Plan plan = compiled("lbann", 2, batch);
  CHECK(findings(plan) == "");
  CHECK(reductions(plan) == 5);
  CHECK(sent_by_all(plan) == sent_by_all(compiled("ddp", 2, batch)));
}

}  // namespace ddlbench::strategies
