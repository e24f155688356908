#include <functional>

#include "catch.h"
#include "compiled.h"
#include "failure.h"
#include "strategies/passes/cycles.h"
#include "strategies/passes/op_times.h"

namespace ddlbench::strategies {
namespace {

constexpr std::int64_t horovod_samples = 48, lenet_tensors = 10;

/// Returns the seconds of an op of a layer; `name` is that of its instruction.
using Times = std::function<double(const std::string& name)>;

/// Returns a plan of lenet whose ops take `times`.
program::Plan with_times(const Times& times, const OptionValues& options, int ranks = 2) {
  const graph::Graph graph = fashion_model("lenet", horovod_samples);
  const StrategyKind& kind = find_strategy("horovod");
  program::CostTable costs;
  const program::Plan untimed = kind.compile({graph, horovod_samples, ranks, graph::sgd({}), costs}, options);
  for (const program::Instruction& instruction : untimed.roles.front().train.bodies.front())
    if (is_layer_op(instruction))
      costs.insert(program::cost_key(std::get<program::Compute>(instruction.action)), {times(instruction.name), 0});
  program::Plan plan = kind.compile({graph, horovod_samples, ranks, graph::sgd({}), costs}, options);
  program::complete(plan, {});
  return plan;
}

OptionValues cycles_of(double milliseconds, OptionValues more = {}) {
  more["cycle_milliseconds"] = milliseconds;
  return more;
}

/// Returns what the communication stream and `mark ready` do, in order.
std::vector<std::string> synchronization_of(const program::Plan& plan) {
  std::vector<std::string> names;
  for (const program::Instruction& instruction : plan.roles.front().train.bodies.front())
    for (const char* begin : {"mark ready", "negotiate", "reduce bucket"})
      if (instruction.name.starts_with(begin)) names.push_back(instruction.name);
  return names;
}

std::int64_t count(const program::Plan& plan, const std::string& begin) {
  const std::vector<std::string> names = synchronization_of(plan);
  return std::count_if(names.begin(), names.end(), [&](const std::string& name) { return name.starts_with(begin); });
}

/// Returns the bytes that each bucket reduces, in order.
std::vector<std::int64_t> reduced_bytes(const program::Plan& plan) {
  std::vector<std::int64_t> bytes;
  for (const program::Instruction& instruction : plan.roles.front().train.bodies.front())
    if (instruction.name.starts_with("reduce bucket"))
      bytes.push_back(std::get<program::CollectiveCall>(instruction.action).input.view.bytes);
  return bytes;
}

double tenth(const std::string&) {
  return 1e-4;
}

}  // namespace

TEST_CASE("in a long cycle horovod reduces all gradients together, after one negotiation") {
  const program::Plan plan = with_times(tenth, cycles_of(1000));
  CHECK(findings(plan) == "");
  CHECK(plan.promise.kind == program::Promise::Kind::exact);
  CHECK(synchronization_of(plan) ==
        std::vector<std::string>{"mark ready in cycle 0", "negotiate cycle 0", "reduce bucket 0"});
  CHECK(plan.choices ==
        std::vector<std::string>{"negotiations: 1 in cycles of 1000 ms, 1 of them with gradients, in 1 bucket"});
}

TEST_CASE("in short cycles each layer has a bucket of its own") {
  const program::Plan plan = with_times(tenth, cycles_of(0.07));
  CHECK(findings(plan) == "");
  CHECK(reduced_bytes(plan) == std::vector<std::int64_t>{4 * 850, 4 * 10164, 4 * 30840, 4 * 2416, 4 * 156});
}

TEST_CASE("a gradient that becomes ready late is reduced in a later cycle, and those before it in the cycle before") {
  const auto slow = [](const std::string& late) {
    return [late](const std::string& name) { return name.starts_with(late) ? 0.0105 : 1e-6; };
  };
  const program::Plan fc1 = with_times(slow("fc1"), cycles_of(10));
  CHECK(findings(fc1) == "");
  CHECK(reduced_bytes(fc1).front() == 4 * (850 + 10164));
  const program::Plan conv2 = with_times(slow("conv2"), cycles_of(10));
  CHECK(reduced_bytes(conv2).front() == 4 * (850 + 10164 + 30840));
}

TEST_CASE("a negotiation comes after the ops that end in its cycle, and before those that end later") {
  constexpr double cycle = 2.137;  // ops
  const program::Plan plan = with_times(tenth, cycles_of(cycle / 10));
  CHECK(findings(plan) == "");
  int ops = 0, before_backward = 0;
  std::vector<int> found, expected;
  for (const program::Instruction& instruction : plan.roles.front().train.bodies.front()) {
    if (instruction.name.starts_with("negotiate")) found.push_back(ops);
    if (!is_layer_op(instruction)) continue;
    if (instruction.phase == program::Phase::forward) ++before_backward;
    ++ops;
  }
  for (int end = static_cast<int>(before_backward / cycle) + 1; expected.empty() || expected.back() < ops; ++end)
    expected.push_back(std::min(ops, static_cast<int>(end * cycle)));
  CHECK(expected.size() > 3);
  CHECK(found == expected);
}

TEST_CASE("cycles in which nothing is ready are negotiated, too, and at most 8 of them during one op") {
  const auto of_fc1 = [](double milliseconds) {
    return [milliseconds](const std::string& name) { return name.starts_with("fc1") ? milliseconds * 1e-3 : 1e-6; };
  };
  const std::int64_t ops_of_fc1 = 3;  // of its backward pass: of the activation, of the input and of the weight
  const program::Plan few = with_times(of_fc1(3), cycles_of(1));
  CHECK(findings(few) == "");
  const std::int64_t whole = 3 * ops_of_fc1;
  CHECK(count(few, "negotiate") >= whole);
  CHECK(count(few, "negotiate") <= whole + 1);
  const program::Plan many = with_times(of_fc1(300), cycles_of(1));
  CHECK(findings(many) == "");
  CHECK(count(many, "negotiate") == ops_of_fc1 * (1 + most_idle) + 1);
  REQUIRE(many.choices.size() == 1);
  CHECK(many.choices.front().find("cycles during long ops are left out") != std::string::npos);
}

TEST_CASE("a bucket of horovod never exceeds the fusion buffer, unless it is one gradient") {
  const program::Plan plan = with_times(tenth, cycles_of(1000, {{"fusion_mebibytes", 0.05}}));
  CHECK(findings(plan) == "");
  CHECK(reduced_bytes(plan) == std::vector<std::int64_t>{4 * (850 + 10164 + 120), 4 * 30720, 4 * (2416 + 156)});
}

TEST_CASE("horovod sends the bytes of ddp and one byte per gradient and negotiation") {
  for (const int n : {1, 2, 3, 4, 8})
    for (const double milliseconds : {0.001, 0.1, 1000.0}) {
      INFO(n << " ranks, cycles of " << milliseconds);
      const program::Plan plan = compiled("horovod", n, horovod_samples, cycles_of(milliseconds));
      CHECK(findings(plan) == "");
      if (n == 1) {
        CHECK(sent_by_all(plan).empty());
        continue;
      }
      const std::int64_t negotiations = count(plan, "negotiate");
      CHECK(negotiations > 0);
      CHECK(sent_by_all(plan) ==
            std::map<std::string, std::int64_t>{
                {"all_reduce", 2 * (n - 1) * (4 * lenet_parameters + negotiations * lenet_tensors)}});
      CHECK(plan.choices.front().find("times assumed from FLOPs") != std::string::npos);
    }
}

TEST_CASE("horovod composes with micro-batches, recomputation, 16-bit gradients on the wire and nodes") {
  CHECK(findings(compiled("horovod", 2, horovod_samples, cycles_of(0.01, {{"microbatches", std::int64_t{3}}}))) == "");
  CHECK(findings(compiled("horovod", 2, horovod_samples, cycles_of(0.01, {{"recompute", Strings{"full"}}}))) == "");
  CHECK(findings(compiled("horovod", 3, horovod_samples, cycles_of(0.01, {{"wire", std::string("bf16")}}))) == "");
  OptionValues nodes = mesh({{"replica", 2}, {"data", 2}}, 1);
  nodes["hierarchical"] = true;
  nodes["cycle_milliseconds"] = 0.01;
  const program::Plan plan = compiled("hybrid", 4, horovod_samples, nodes);
  CHECK(findings(plan) == "");
  CHECK(count(plan, "negotiate") > 1);
}

TEST_CASE("only the last micro-batch's backward pass is negotiated") {
  const program::Plan plan =
      compiled("horovod", 2, horovod_samples, cycles_of(0.001, {{"microbatches", std::int64_t{3}}}));
  for (const program::Instruction& instruction : plan.roles.front().train.bodies.front())
    if (instruction.name.starts_with("negotiate")) CHECK(instruction.microbatch == 2);
}

TEST_CASE("cycles are rejected where readiness is not that of whole gradients on equal ranks") {
  const auto said = [](int ranks, OptionValues options) {
    return test::failure_of([&] { compiled("hybrid", ranks, horovod_samples, cycles_of(1, std::move(options))); });
  };
  const OptionValues data = mesh({{"data", 2}}, 1);
  const auto and_also = [&data](const char* setting, OptionValue value) {
    OptionValues options = data;
    options[setting] = std::move(value);
    return options;
  };
  CHECK(said(2, data) == "nothing was thrown");
  CHECK(said(4, mesh({{"data", 2}, {"pipeline", 2}})) ==
        "cycle_milliseconds needs a mesh whose axes all split the batch; leave it out, or the other axes");
  CHECK(said(2, and_also("zero", std::int64_t{1})) ==
        "cycle_milliseconds needs whole gradients on every rank; leave it out, or zero");
  CHECK(said(2, and_also("speeds", Integers{2, 1})) ==
        "cycle_milliseconds needs ranks that have equally many samples; leave it out, or speeds");
  CHECK(said(2, and_also("overlap", false)) ==
        "cycle_milliseconds needs reductions during the backward pass; leave it out, or \"overlap\": false");
  CHECK(said(2, and_also("first_bucket_mebibytes", 2.0)) ==
        "first_bucket_mebibytes has no effect with cycle_milliseconds, where all buckets have one size; leave it out");
  CHECK(said(2, mesh({{"tensor", 2}}, 1)) ==
        "cycle_milliseconds has no effect where the mesh has no data axis; leave it out, or add the axis");
}

}  // namespace ddlbench::strategies
