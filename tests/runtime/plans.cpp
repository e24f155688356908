#include "plans.h"

#include "graph/ops/activation.h"
#include "graph/ops/linear.h"
#include "graph/ops/loss.h"
#include "graph/ops/optimizer.h"

namespace ddlbench::test {

using namespace program;
using graph::Activation;
using graph::DType;

namespace {

constexpr float learning_momentum = 0.9F;

template <class T, class... A>
graph::OpPtr make(A... arguments) {
  return std::make_shared<T>(arguments...);
}

graph::OpPtr linear() {
  return make<graph::Linear>(true, Activation::none);
}

/// A linear layer with its parameters and gradients, the weight first and then the bias.
struct Layer {
  std::string name;
  std::int64_t in, out;
  BufferId parameters = program::none, gradients = program::none, momentum = program::none;

  std::int64_t count() const { return out * in + out; }
  std::int64_t bytes() const { return 4 * count(); }
  Operand weight() const { return operand(parameters, {out, in}); }
  Operand bias() const { return operand(parameters, {out}, 4 * out * in); }
  Operand weight_gradient() const { return operand(gradients, {out, in}); }
  Operand bias_gradient() const { return operand(gradients, {out}, 4 * out * in); }
};

void add_state(Role& role, const Layer& layer) {
  const graph::Initializer uniform{graph::Initializer::Kind::uniform, -0.5F, 0.5F};
  const graph::Initializer normal{graph::Initializer::Kind::normal, 0.F, 0.1F};
  const auto add = [&](const std::string& tensor, MemoryClass memory_class, const Operand& at,
                       graph::Initializer start) {
    std::vector<graph::Extent> box;
    for (const std::int64_t size : at.type.shape) box.push_back({0, size});
    role.state.push_back({tensor, memory_class, at.type, start, box, at.view});
  };
  add(layer.name + ".weight", MemoryClass::parameters, layer.weight(), uniform);
  add(layer.name + ".bias", MemoryClass::parameters, layer.bias(), normal);
  add(layer.name + ".weight", MemoryClass::gradients, layer.weight_gradient(), {});
  add(layer.name + ".bias", MemoryClass::gradients, layer.bias_gradient(), {});
}

void update(ProgramWriter& w, const Layer& layer) {
  const Operand parameters = operand(layer.parameters, {layer.count()});
  const Operand momentum = operand(layer.momentum, {layer.count()});
  w.compute("update " + layer.name, Phase::optimizer, graph::sgd({.momentum = learning_momentum}).update({}),
            {parameters, operand(layer.gradients, {layer.count()}), momentum}, {parameters, momentum});
}

/// The input and metric buffers of the first and last stage of a model.
struct Ends {
  BufferId values = program::none, labels = program::none, metrics = program::none;
};

void add_values(ProgramWriter& w, Ends& ends, std::int64_t samples, std::vector<std::string> axes) {
  ends.values = w.persistent("x", MemoryClass::inputs, samples * features * 4);
  w.program.inputs.push_back({"x", graph::Role::input, operand(ends.values, {samples, features}), std::move(axes)});
}

void add_labels(ProgramWriter& w, Ends& ends, std::int64_t samples, std::vector<std::string> axes) {
  ends.labels = w.persistent("labels", MemoryClass::inputs, samples * 4);
  ends.metrics = w.persistent("metrics", MemoryClass::metrics, 12);
  w.program.inputs.push_back(
      {"labels", graph::Role::label, operand(ends.labels, {samples}, 0, DType::i32), std::move(axes)});
  w.program.metrics.push_back({"loss", operand(ends.metrics, {1}).view, {}});
  w.program.metrics.push_back({"correct", operand(ends.metrics, {1}, 4).view, {}});
  w.program.metrics.push_back({"correct_top5", operand(ends.metrics, {1}, 8).view, {}});
}

void loss(ProgramWriter& w, const Ends& ends, const Operand& logits) {
  w.compute("loss", Phase::forward, make<graph::CrossEntropy>(),
            {logits, operand(ends.labels, {logits.type.shape[0]}, 0, DType::i32)},
            {operand(ends.metrics, {1}), operand(ends.metrics, {1}, 4), operand(ends.metrics, {1}, 8)});
}

void loss_backward(ProgramWriter& w, const Ends& ends, const Operand& logits, const Operand& gradient) {
  w.compute("loss backward", Phase::backward_input, make<graph::CrossEntropyBackward>(),
            {logits, operand(ends.labels, {logits.type.shape[0]}, 0, DType::i32)}, {gradient});
}

void forward(ProgramWriter& w, const Layer& layer, const Operand& x, const Operand& y) {
  w.compute(layer.name, Phase::forward, linear(), {x, layer.weight(), layer.bias()}, {y});
}

void backward_weight(ProgramWriter& w, const Layer& layer, const Operand& x, const Operand& dy) {
  w.compute(layer.name + " backward weight", Phase::backward_weight, make<graph::LinearBackwardWeight>(true), {x, dy},
            {layer.weight_gradient(), layer.bias_gradient()});
}

void backward_input(ProgramWriter& w, const Layer& layer, const Operand& dy, const Operand& dx) {
  w.compute(layer.name + " backward input", Phase::backward_input, make<graph::LinearBackwardInput>(),
            {dy, layer.weight()}, {dx});
}

void add_parameters(ProgramWriter& w, Layer& layer) {
  layer.parameters = w.persistent(layer.name + " parameters", MemoryClass::parameters, layer.bytes());
}

void add_training_buffers(ProgramWriter& w, Layer& layer) {
  layer.gradients = w.persistent(layer.name + " gradients", MemoryClass::gradients, layer.bytes());
  layer.momentum = w.persistent(layer.name + " momentum", MemoryClass::optimizer_state, layer.bytes());
}

Plan plan_of(Mesh mesh, std::vector<Role> roles, std::vector<int> role_of_rank) {
  Plan plan;
  plan.meshes.push_back(std::move(mesh));
  plan.roles = std::move(roles);
  plan.role_of_rank = std::move(role_of_rank);
  plan.global_batch = batch;
  return plan;
}

Peer neighbour(int offset) {
  return {0, {{CoordinateRule::Kind::offset, offset}}};
}

}  // namespace

BufferId ProgramWriter::persistent(const std::string& name, MemoryClass memory_class, std::int64_t bytes,
                                   int versions) {
  program.buffers.push_back({name, memory_class, bytes, true, versions});
  return static_cast<BufferId>(program.buffers.size()) - 1;
}

BufferId ProgramWriter::transient(const std::string& name, std::int64_t bytes) {
  program.buffers.push_back({name, MemoryClass::activations, bytes});
  return static_cast<BufferId>(program.buffers.size()) - 1;
}

Instruction& ProgramWriter::compute(const std::string& name, Phase phase, graph::OpPtr op, Operands inputs,
                                    Operands outputs) {
  program.bodies.front().push_back(
      {name, Compute{{std::move(op)}, std::move(inputs), std::move(outputs)}, graph::Stream::compute, phase, 0, 0, {}});
  return program.bodies.front().back();
}

Instruction& ProgramWriter::communicate(const std::string& name, Action action) {
  program.bodies.front().push_back(
      {name, std::move(action), graph::Stream::communication, Phase::communication, 0, 0, {}});
  return program.bodies.front().back();
}

Operand operand(BufferId buffer, graph::Shape shape, std::int64_t offset, DType dtype) {
  graph::TensorType type{std::move(shape), dtype};
  const auto size = static_cast<std::int64_t>(graph::bytes(type));
  return {{buffer, offset, size}, std::move(type)};
}

Plan two_element_plan(const Program& program, BufferId kept) {
  Role role;
  role.train = program;
  StateShard shard;
  shard.tensor = "w";
  shard.whole.shape = {2};
  shard.initializer = {graph::Initializer::Kind::constant, 1, 0};
  shard.box = {{0, 2}};
  shard.view = operand(kept, {2}).view;
  role.state.push_back(shard);
  return plan_of({}, {role}, {0});
}

Plan data_parallel_plan(int ranks) {
  const std::int64_t samples = batch / ranks;
  Layer layer{"fc", features, classes};
  Ends ends;
  ProgramWriter w;
  add_parameters(w, layer);
  add_values(w, ends, samples, {"data"});
  add_labels(w, ends, samples, {"data"});
  ProgramWriter evaluate = w;
  add_training_buffers(w, layer);
  const Operand x = operand(ends.values, {samples, features});
  const auto logits_of = [&](ProgramWriter& p) {
    return operand(p.transient("logits", samples * classes * 4), {samples, classes});
  };
  const Operand logits = logits_of(w);
  const Operand gradient = operand(w.transient("dlogits", samples * classes * 4), {samples, classes});
  forward(w, layer, x, logits);
  loss(w, ends, logits);
  loss_backward(w, ends, logits, gradient);
  backward_weight(w, layer, x, gradient);
  if (ranks > 1) {
    CollectiveCall call;
    call.group = {0, {"data"}, {}};
    call.input = call.output = operand(layer.gradients, {layer.count()});
    w.communicate("sum gradients", call);
  }
  update(w, layer);

  const Operand evaluated = logits_of(evaluate);
  forward(evaluate, layer, x, evaluated);
  loss(evaluate, ends, evaluated);

  Role role;
  role.name = "all";
  role.train = w.program;
  role.evaluate = evaluate.program;
  add_state(role, layer);
  return plan_of(Mesh({{"data", ranks}}), {role}, std::vector<int>(static_cast<std::size_t>(ranks), 0));
}

Plan two_layer_plan() {
  Layer first{"first", features, hidden}, second{"second", hidden, classes};
  Ends ends;
  ProgramWriter w;
  add_parameters(w, first);
  add_parameters(w, second);
  add_values(w, ends, batch, {});
  add_labels(w, ends, batch, {});
  add_training_buffers(w, first);
  add_training_buffers(w, second);
  const Operand x = operand(ends.values, {batch, features});
  const Operand h = operand(w.transient("h", batch * hidden * 4), {batch, hidden});
  const Operand dh = operand(w.transient("dh", batch * hidden * 4), {batch, hidden});
  const Operand logits = operand(w.transient("logits", batch * classes * 4), {batch, classes});
  const Operand dlogits = operand(w.transient("dlogits", batch * classes * 4), {batch, classes});
  forward(w, first, x, h);
  forward(w, second, h, logits);
  loss(w, ends, logits);
  loss_backward(w, ends, logits, dlogits);
  backward_input(w, second, dlogits, dh);
  backward_weight(w, second, h, dlogits);
  backward_weight(w, first, x, dh);
  update(w, first);
  update(w, second);
  Role role;
  role.name = "all";
  role.train = w.program;
  add_state(role, first);
  add_state(role, second);
  return plan_of(Mesh({{"pipeline", 1}}), {role}, {0});
}

Plan pipeline_plan() {
  Layer first{"first", features, hidden}, second{"second", hidden, classes};
  Ends ends;
  Role front, back;
  {
    ProgramWriter w;
    add_parameters(w, first);
    add_values(w, ends, batch, {});
    add_training_buffers(w, first);
    const Operand x = operand(ends.values, {batch, features});
    const Operand h = operand(w.transient("h", batch * hidden * 4), {batch, hidden});
    const Operand dh = operand(w.transient("dh", batch * hidden * 4), {batch, hidden});
    forward(w, first, x, h);
    w.communicate("send h", Send{{neighbour(1), h, 1}});
    w.communicate("receive dh", Receive{{neighbour(1), dh, 2}});
    backward_weight(w, first, x, dh);
    update(w, first);
    front.name = "pipeline=0";
    front.train = w.program;
    add_state(front, first);
  }
  {
    ProgramWriter w;
    add_parameters(w, second);
    add_labels(w, ends, batch, {});
    add_training_buffers(w, second);
    const Operand h = operand(w.transient("h", batch * hidden * 4), {batch, hidden});
    const Operand dh = operand(w.transient("dh", batch * hidden * 4), {batch, hidden});
    const Operand logits = operand(w.transient("logits", batch * classes * 4), {batch, classes});
    const Operand dlogits = operand(w.transient("dlogits", batch * classes * 4), {batch, classes});
    w.communicate("receive h", Receive{{neighbour(-1), h, 1}});
    forward(w, second, h, logits);
    loss(w, ends, logits);
    loss_backward(w, ends, logits, dlogits);
    backward_input(w, second, dlogits, dh);
    w.communicate("send dh", Send{{neighbour(-1), dh, 2}});
    backward_weight(w, second, h, dlogits);
    update(w, second);
    back.name = "pipeline=1";
    back.train = w.program;
    add_state(back, second);
  }
  return plan_of(Mesh({{"pipeline", 2}}), {front, back}, {0, 1});
}

}  // namespace ddlbench::test
