#include "hand.h"

#include <memory>

namespace ddlbench::test {

using namespace program;

namespace {

struct NamedOp final : graph::Op {
  explicit NamedOp(std::string n) : name(std::move(n)) {}
  std::string_view kind() const override { return "named"; }
  std::string attributes() const override { return name; }
  std::vector<graph::TensorType> infer(graph::Types inputs) const override { return {inputs.begin(), inputs.end()}; }
  double flops(graph::Types, graph::Types) const override { return 0; }
  std::string name;
};

Plan on_one_axis(std::vector<Role> roles, std::vector<int> role_of_rank) {
  Plan plan;
  plan.meshes.emplace_back(std::vector<Axis>{{"data", static_cast<int>(role_of_rank.size())}});
  plan.roles = std::move(roles);
  plan.role_of_rank = std::move(role_of_rank);
  complete(plan, {});
  return plan;
}

}  // namespace

BufferId Hand::buffer(std::int64_t count) {
  program.buffers.push_back({"b", MemoryClass::activations, 4 * count, true});
  return static_cast<BufferId>(program.buffers.size()) - 1;
}

Operand Hand::operand(BufferId buffer) const {
  const std::int64_t bytes = program.buffers[static_cast<std::size_t>(buffer)].bytes;
  return {{buffer, 0, bytes}, {{bytes / 4}, graph::DType::f32}};
}

void Hand::compute(const std::string& name, BufferId buffer, double seconds) {
  const Compute compute{{std::make_shared<NamedOp>(name)}, {operand(buffer)}, {operand(buffer)}};
  costs.insert(cost_key(compute), {seconds, 0});
  program.bodies.front().push_back({name, compute, graph::Stream::compute, Phase::forward, 0, 0, {}});
}

void Hand::communicate(const std::string& name, Action action) {
  program.bodies.front().push_back(
      {name, std::move(action), graph::Stream::communication, Phase::communication, 0, 0, {}});
}

Message Hand::message(BufferId buffer, int peer) const {
  return {{0, {{CoordinateRule::Kind::fixed, peer}}}, operand(buffer), 0};
}

void Hand::send(const std::string& name, BufferId buffer, int to) {
  communicate(name, Send{message(buffer, to)});
}

void Hand::receive(const std::string& name, BufferId buffer, int from) {
  communicate(name, Receive{message(buffer, from)});
}

void Hand::all_reduce(const std::string& name, BufferId buffer, collectives::Algorithm algorithm) {
  CollectiveCall call;
  call.algorithm = algorithm;
  call.group = {0, {"data"}, {}};
  call.input = call.output = operand(buffer);
  communicate(name, call);
}

void Hand::collective(const std::string& name, graph::Collective kind, BufferId whole,
                      std::vector<std::int64_t> counts) {
  CollectiveCall call;
  call.kind = kind;
  call.group = {0, {"data"}, {}};
  call.input = call.output = operand(whole);
  call.counts = std::move(counts);
  communicate(name, call);
}

HandPlan plan_of(const std::vector<Hand>& ranks) {
  std::vector<Role> roles;
  std::vector<int> role_of_rank;
  CostTable costs;
  for (const Hand& hand : ranks) {
    for (const auto& [key, cost] : hand.costs.all()) costs.insert(key, cost);
    Role role;
    role.name = std::to_string(roles.size());
    role.train = hand.program;
    role_of_rank.push_back(static_cast<int>(roles.size()));
    roles.push_back(std::move(role));
  }
  return {on_one_axis(std::move(roles), std::move(role_of_rank)), costs};
}

HandPlan replicated(const Hand& hand, int ranks) {
  Role role;
  role.name = "all";
  role.train = hand.program;
  return {on_one_axis({role}, std::vector<int>(static_cast<std::size_t>(ranks), 0)), hand.costs};
}

}  // namespace ddlbench::test
