#include "catch.h"
#include "compiled.h"
#include "failure.h"
#include "strategies/passes/op_times.h"

namespace ddlbench::strategies {
namespace {

constexpr std::int64_t priority_samples = 48;
/// Bodies of the training programs.
constexpr std::size_t steady = 0, first_step = 1;

/// Returns a plan of lenet whose ops take 0.1 ms each, on links of `gigabits`.
program::Plan on_links(double gigabits, OptionValues options = {}, int ranks = 2) {
  const graph::Graph graph = fashion_model("lenet", priority_samples);
  const StrategyKind& kind = find_strategy("priority");
  options["link_gigabits"] = gigabits;
  program::CostTable costs;
  const program::Plan untimed = kind.compile({graph, priority_samples, ranks, graph::sgd({}), costs}, options);
  for (const program::Instruction& instruction : untimed.roles.front().train.bodies.front())
    if (is_layer_op(instruction))
      costs.insert(program::cost_key(std::get<program::Compute>(instruction.action)), {1e-4, 0});
  program::Plan plan = kind.compile({graph, priority_samples, ranks, graph::sgd({}), costs}, options);
  program::complete(plan, {});
  return plan;
}

OptionValues whole_layers() {
  return {{"slice_mebibytes", 1.0}};
}

/// Returns the names of a section's sums and updates, and of its first and last layer's forward ops, in order.
std::vector<std::string> order_of(const program::Instructions& section) {
  std::vector<std::string> names;
  for (const program::Instruction& instruction : section) {
    const std::string& name = instruction.name;
    if (name.starts_with("reduce") || name.starts_with("update bucket") || name == "conv1" || name == "fc3")
      names.push_back(name);
  }
  return names;
}

const program::Program& training(const program::Plan& plan) {
  return plan.roles.front().train;
}

}  // namespace

TEST_CASE("on slow links, what the next forward pass needs first goes first, and the rest goes with it") {
  // Of 5 layers, fc3 (bucket 0) is the only one that is reduced when fc2 is ready, and takes until after the backward
  // pass.
  const program::Plan plan = on_links(0.01, whole_layers());
  CHECK(findings(plan) == "");
  CHECK(plan.promise.kind == program::Promise::Kind::exact);
  CHECK(order_of(training(plan).bodies[first_step]) ==
        std::vector<std::string>{"conv1", "fc3", "reduce slice 0 of bucket 0"});
  CHECK(order_of(training(plan).bodies[steady]) ==
        std::vector<std::string>{"reduce slice 0 of bucket 4", "reduce slice 0 of bucket 3",
                                 "reduce slice 0 of bucket 2", "reduce slice 0 of bucket 1", "update bucket 4", "conv1",
                                 "update bucket 3", "update bucket 2", "update bucket 1", "update bucket 0", "fc3",
                                 "reduce slice 0 of bucket 0"});
  CHECK(order_of(training(plan).epilogue) ==
        std::vector<std::string>{"reduce slice 0 of bucket 4", "reduce slice 0 of bucket 3",
                                 "reduce slice 0 of bucket 2", "reduce slice 0 of bucket 1", "update bucket 4",
                                 "update bucket 3", "update bucket 2", "update bucket 1", "update bucket 0"});
  CHECK(plan.choices ==
        std::vector<std::string>{"all-reduces: 5 by priority, 4 of them in the next step, for links of 0.01 Gbit/s"});
}

TEST_CASE("on fast links, all gradients but the last are reduced in the backward pass, in the order of readiness") {
  const program::Plan plan = on_links(1000, whole_layers());
  CHECK(findings(plan) == "");
  CHECK(order_of(training(plan).bodies[first_step]) ==
        std::vector<std::string>{"conv1", "fc3", "reduce slice 0 of bucket 0", "reduce slice 0 of bucket 1",
                                 "reduce slice 0 of bucket 2", "reduce slice 0 of bucket 3"});
}

TEST_CASE("a slice that is more urgent overtakes those of a large layer") {
  // fc1 (bucket 2) has 120 KiB: 8 slices. conv2 (bucket 3) becomes ready while they are reduced.
  const program::Plan plan = on_links(1, {{"slice_mebibytes", 0.015}});
  CHECK(findings(plan) == "");
  std::vector<std::string> names = order_of(training(plan).bodies[first_step]);
  const std::vector<std::string> rest = order_of(training(plan).epilogue);
  names.insert(names.end(), rest.begin(), rest.end());
  const auto place = [&names](const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    REQUIRE(found != names.end());
    return found - names.begin();
  };
  CHECK(place("reduce slice 0 of bucket 2") < place("reduce slice 0 of bucket 3"));
  CHECK(place("reduce slice 0 of bucket 3") < place("reduce slice 7 of bucket 2"));
}

TEST_CASE("only updates in the steady body and what they wait for belong to the previous step") {
  const program::Plan plan = on_links(0.01);
  for (const program::Instructions* section : program::sections(training(plan)))
    for (const program::Instruction& instruction : *section) {
      INFO(instruction.name);
      const bool is_steady = section == &training(plan).bodies[steady];
      if (instruction.phase == program::Phase::optimizer) CHECK(instruction.steps_back == (is_steady ? 1 : 0));
      if (is_layer_op(instruction)) CHECK(instruction.steps_back == 0);
    }
}

TEST_CASE("priority sends the bytes of ddp, in turn, for any slices and links") {
  for (const int n : {1, 2, 3, 4, 8})
    for (const double gigabits : {0.01, 1.0, 1000.0})
      for (const double slice : {0.01, 1.0}) {
        INFO(n << " ranks, links of " << gigabits << " Gbit/s, slices of " << slice << " MiB");
        const program::Plan plan = on_links(gigabits, {{"slice_mebibytes", slice}}, n);
        CHECK(findings(plan) == "");
        if (n == 1) {
          CHECK(plan.cadence == program::Cadence{});
          CHECK(sent_by_all(plan).empty());
          continue;
        }
        CHECK(sent_by_all(plan) ==
              std::map<std::string, std::int64_t>{{"all_reduce", 2 * (n - 1) * 4 * lenet_parameters}});
        for (const program::Instruction& instruction : training(plan).bodies[steady])
          if (const auto* call = std::get_if<program::CollectiveCall>(&instruction.action)) CHECK(call->in_turn);
      }
}

TEST_CASE("priority composes with micro-batches, recomputation, balanced shares and 16-bit parameters") {
  const auto sound = [](OptionValues options) {
    options["priority"] = true;
    options["link_gigabits"] = 0.1;
    return findings(compiled("hybrid", 2, priority_samples, std::move(options)));
  };
  CHECK(sound(mesh({{"data", 2}}, 3)) == "");
  OptionValues recomputed = mesh({{"data", 2}}, 1);
  recomputed["recompute"] = Strings{"full"};
  CHECK(sound(recomputed) == "");
  OptionValues uneven = mesh({{"data", 2}}, 1);
  uneven["speeds"] = Integers{2, 1};
  CHECK(sound(uneven) == "");
}

TEST_CASE("priority is rejected where an update depends on more than the sum of its gradient") {
  const auto said = [](int ranks, OptionValues options) {
    options["priority"] = true;
    return test::failure_of([&] { compiled("hybrid", ranks, priority_samples, std::move(options)); });
  };
  const auto and_also = [](const char* setting, OptionValue value) {
    OptionValues options = mesh({{"data", 2}}, 1);
    options[setting] = std::move(value);
    return options;
  };
  CHECK(said(2, mesh({{"data", 2}}, 1)) == "nothing was thrown");
  CHECK(said(4, mesh({{"data", 2}, {"pipeline", 2}})) ==
        "priority needs a mesh whose axes all split the batch; leave it out, or the other axes");
  CHECK(said(2, and_also("zero", std::int64_t{1})) ==
        "priority needs one all-reduce for each gradient; leave it out, or zero and hierarchical");
  CHECK(said(2, and_also("update_in_backward", true)) ==
        "priority needs memory for all gradients; leave it out, or update_in_backward");
  CHECK(said(2, and_also("overlap", false)) ==
        "priority needs reductions while ranks compute; leave it out, or \"overlap\": false");
  CHECK(said(2, and_also("wire", std::string("bf16"))) ==
        "priority needs one all-reduce for each gradient; leave it out, or wire, codec and matrix_approximation_rank");
  CHECK(said(2, and_also("cycle_milliseconds", 1.0)) ==
        "priority needs an order that is not negotiated; leave it out, or cycle_milliseconds");
  CHECK(said(2, mesh({{"tensor", 2}}, 1)) ==
        "priority has no effect where the mesh has no data axis; leave it out, or add the axis");
  OptionValues links = mesh({{"data", 2}}, 1);
  links["link_gigabits"] = 1.0;
  CHECK(test::failure_of([&] { compiled("hybrid", 2, priority_samples, links); }) ==
        "link_gigabits has no effect without priority or balance time_and_communication; leave it out, or add one");
  const graph::Graph graph = fashion_model("lenet", priority_samples);
  const auto said_of = [&graph](const graph::Optimizer& optimizer) {
    return test::failure_of([&] {
      find_strategy("priority").compile({graph, priority_samples, 2, optimizer, {}}, {});
    });
  };
  graph::Optimizer clipped = graph::sgd({});
  clipped.guard.max_norm = 1;
  CHECK(said_of(clipped) == "priority needs updates that do not depend on other gradients; leave out clip_norm");
  CHECK(said_of(graph::lars({.momentum = 0.9F})) ==
        "priority needs an optimizer that updates elements one by one; use another one than lars and lamb");
}

}  // namespace ddlbench::strategies
