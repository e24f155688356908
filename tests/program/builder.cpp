#include "builder.h"

#include <memory>

namespace ddlbench::test {

using namespace program;

double AnyOp::flops(graph::Types, graph::Types outputs) const {
  double sum = 0;
  for (const graph::TensorType& type : outputs) sum += static_cast<double>(graph::elements(type.shape));
  return sum;
}

BufferId Builder::transient(const std::string& name, std::int64_t count, MemoryClass memory_class) {
  program.buffers.push_back({name, memory_class, 4 * count, false, 1, none});
  return static_cast<BufferId>(program.buffers.size()) - 1;
}

BufferId Builder::persistent(const std::string& name, std::int64_t count, MemoryClass memory_class) {
  program.buffers.push_back({name, memory_class, 4 * count, true, 1, none});
  return static_cast<BufferId>(program.buffers.size()) - 1;
}

Operand Builder::operand(Range range) const {
  if (range.count < 0) range.count = program.buffers[static_cast<std::size_t>(range.buffer)].bytes / 4 - range.first;
  return {{range.buffer, 4 * range.first, 4 * range.count, range.age}, {{range.count}, graph::DType::f32}};
}

Instruction& Builder::add(const std::string& name, Action action, graph::Stream stream) {
  auto& list = section == nullptr ? program.bodies.front() : *section;
  Instruction instruction;
  instruction.name = name;
  instruction.action = std::move(action);
  instruction.stream = stream;
  instruction.phase = stream == graph::Stream::compute ? Phase::forward : Phase::communication;
  list.push_back(std::move(instruction));
  return list.back();
}

Instruction& Builder::compute(const std::string& name, std::vector<Range> inputs, std::vector<Range> outputs) {
  static const graph::OpPtr op = std::make_shared<AnyOp>();
  Compute compute;
  compute.op = op;
  for (Range input : inputs) compute.inputs.push_back(operand(input));
  for (Range output : outputs) compute.outputs.push_back(operand(output));
  return add(name, std::move(compute), graph::Stream::compute);
}

Instruction& Builder::accumulate(const std::string& name, std::vector<Range> inputs, std::vector<Range> outputs) {
  Instruction& instruction = compute(name, std::move(inputs), std::move(outputs));
  std::get<Compute>(instruction.action).accumulate = true;
  return instruction;
}

Message Builder::message(Range what, int peer, int tag) const {
  return {{0, {{CoordinateRule::Kind::fixed, peer}}}, operand(what), tag};
}

Instruction& Builder::send(const std::string& name, Range what, int to, int tag) {
  return add(name, Send{message(what, to, tag)}, graph::Stream::communication);
}

Instruction& Builder::receive(const std::string& name, Range what, int from, int tag) {
  return add(name, Receive{message(what, from, tag)}, graph::Stream::communication);
}

Instruction& Builder::exchange(const std::string& name, std::vector<End> sends, std::vector<End> receives) {
  Exchange exchange;
  for (const End& end : sends) exchange.sends.push_back(message(end.what, end.peer, end.tag));
  for (const End& end : receives) exchange.receives.push_back(message(end.what, end.peer, end.tag));
  return add(name, std::move(exchange), graph::Stream::communication);
}

Instruction& Builder::all_reduce(const std::string& name, Range what, const std::string& axis) {
  CollectiveCall call;
  call.group = {0, {axis}, {}};
  call.input = call.output = operand(what);
  return add(name, std::move(call), graph::Stream::communication);
}

Plan plan_of(std::vector<Program> programs) {
  Plan plan;
  plan.meshes = {Mesh({{"data", static_cast<int>(programs.size())}})};
  plan.global_batch = static_cast<std::int64_t>(programs.size());
  for (std::size_t rank = 0; rank < programs.size(); ++rank) {
    Role role;
    role.name = "data=" + std::to_string(rank);
    role.train = std::move(programs[rank]);
    for (const Buffer& buffer : role.train.buffers)
      if (buffer.persistent) role.evaluate.buffers.push_back(buffer);
    plan.roles.push_back(std::move(role));
    plan.role_of_rank.push_back(static_cast<int>(rank));
  }
  return plan;
}

Plan completed(std::vector<Program> programs) {
  Plan plan = plan_of(std::move(programs));
  complete(plan, {});
  return plan;
}

}  // namespace ddlbench::test
