#include "catch.h"
#include "compiled.h"
#include "failure.h"

namespace ddlbench::strategies {
namespace {

constexpr std::int64_t own_samples = 48;
constexpr std::int64_t lenet_bytes = 4 * lenet_parameters;

OptionValues averaging(const std::string& kind, OptionValues more = {}) {
  more["averaging"] = Nested{{kind, {}}};
  return more;
}

std::int64_t persistent_of(const program::Plan& plan, program::MemoryClass memory_class) {
  return program::account(plan, 0).persistent_bytes_by_class[static_cast<std::size_t>(memory_class)];
}

}  // namespace

// A ring all-reduce of P bytes sends 2 (n − 1) P from all ranks together.
TEST_CASE("local_sgd sends the weights once in a cycle, and nothing in between") {
  for (const int n : {1, 2, 3, 4, 8})
    for (const std::int64_t every : {1, 2, 5}) {
      INFO(n << " ranks, every " << every);
      const program::Plan plan =
          compiled("local_sgd", n, own_samples, {{"every", every}, {"bucket_mebibytes", 4.0 / 1024}});
      CHECK(findings(plan) == "");
      if (n == 1) {
        CHECK(plan.promise.kind == program::Promise::Kind::exact);
        CHECK(plan.cadence == program::Cadence{});
        continue;
      }
      CHECK(plan.cadence.cycle_steps() == every);
      std::int64_t between = 0, whole = 0, mean = 0;
      for (int rank = 0; rank < n; ++rank) {
        for (const auto& [operation, bytes] : sent_in_steps(plan, rank, 0, every - 1)) between += bytes;
        for (const auto& [operation, bytes] : sent_in_steps(plan, rank, 7, every)) whole += bytes;
        mean += program::account(plan, rank).total_sent_bytes();
      }
      CHECK(between == 0);
      CHECK(whole == 2 * (n - 1) * lenet_bytes);
      CHECK(std::abs(mean - whole / every) <= n);
    }
}

TEST_CASE("synchronous steps come first, and send gradients") {
  const program::Plan plan =
      compiled("local_sgd", 2, own_samples, {{"every", std::int64_t{4}}, {"synchronous_steps", std::int64_t{10}}});
  CHECK(findings(plan) == "");
  CHECK(plan.cadence.ramp_steps() == 10);
  CHECK(sent_in_steps(plan, 0, 0, 10).at("all_reduce") == 10 * lenet_bytes);
  CHECK(sent_in_steps(plan, 0, 10, 3).empty());
  CHECK(sent_in_steps(plan, 0, 13, 1).at("all_reduce") == lenet_bytes);
}

TEST_CASE("the memory of averaging is that of the means, and of the states that it keeps") {
  using program::MemoryClass;
  const program::Plan plain = compiled("ddp", 2, own_samples);
  const auto parameters = persistent_of(plain, MemoryClass::parameters),
             states = persistent_of(plain, MemoryClass::optimizer_state);
  for (const auto& [kind, kept] : {std::pair{"mean", 0}, {"block_momentum", 2}, {"elastic", 1}}) {
    INFO(kind);
    const program::Plan plan = compiled("local_sgd", 2, own_samples, averaging(kind));
    CHECK(findings(plan) == "");
    CHECK(persistent_of(plan, MemoryClass::parameters) == parameters + lenet_bytes);
    CHECK(persistent_of(plan, MemoryClass::optimizer_state) == states + kept * lenet_bytes);
  }
}

TEST_CASE("averaging the optimizer's states sends them, too") {
  const program::Plan plan =
      compiled("local_sgd", 2, own_samples, {{"every", std::int64_t{1}}, {"average_states", true}});
  CHECK(program::account(plan, 0).sent_bytes.at("all_reduce") == 2 * lenet_bytes);
}

TEST_CASE("gossip sends the weights to each neighbour in every step") {
  for (const auto& [graph, n, neighbours] : {std::tuple{"ring", 2, 1},
                                             {"ring", 3, 2},
                                             {"ring", 8, 2},
                                             {"exponential", 2, 1},
                                             {"exponential", 3, 1},
                                             {"exponential", 8, 1},
                                             {"random", 2, 1},
                                             {"random", 4, 1}}) {
    INFO(graph << " of " << n);
    const program::Plan plan = compiled("gossip", n, own_samples, {{"graph", Nested{{graph, {}}}}});
    CHECK(findings(plan) == "");
    CHECK(plan.roles.size() == 1);
    for (int rank = 0; rank < n; ++rank)
      for (std::int64_t step = 0; step < plan.cadence.cycle_steps(); ++step)
        CHECK(sent_in_steps(plan, rank, step, 1).at("send") == neighbours * lenet_bytes);
  }
  CHECK(compiled("gossip", 8, own_samples, {{"graph", Nested{{"exponential", {}}}}}).cadence.cycle_steps() == 3);
  const OptionValues random{{"graph", Nested{{"random", {}}}}};
  CHECK(compiled("gossip", 4, own_samples, random).roles.front().train.bodies.size() == 3);
}

TEST_CASE("own weights are rejected where ranks cannot train alone") {
  const auto said = [](int ranks, OptionValues options) {
    return test::failure_of([&] { compiled("hybrid", ranks, own_samples, averaging("mean", std::move(options))); });
  };
  CHECK(said(4, mesh({{"data", 2}, {"pipeline", 2}})) ==
        "averaging needs a mesh whose axes all split the batch; leave it out, or the other axes");
  OptionValues sharded = mesh({{"data", 2}}, 1);
  sharded["zero"] = std::int64_t{1};
  CHECK(said(2, sharded) == "averaging needs whole weights on each rank; leave out zero and hierarchical");
  OptionValues coded = mesh({{"data", 2}}, 1);
  coded["codec"] = Nested{{"one_bit", {}}};
  CHECK(said(2, coded) ==
        "averaging sends weights instead of gradients; leave out wire, codec and matrix_approximation_rank");
  OptionValues both = mesh({{"data", 2}}, 1);
  both["gossip"] = Nested{{"ring", {}}};
  CHECK(said(2, both) == "averaging and gossip are two ways to bring weights together: leave one of them out");
  OptionValues without = mesh({{"data", 2}}, 1);
  without["average_every"] = std::int64_t{3};
  CHECK(test::failure_of([&] { compiled("hybrid", 2, own_samples, without); }) ==
        "average_every has no effect without averaging; leave it out, or add averaging");
}

}  // namespace ddlbench::strategies
