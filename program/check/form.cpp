#include "program/check/parts.h"

#include <fmt/core.h>
#include <algorithm>

#include "base/counted.h"

namespace ddlbench::program {
namespace {

class FormCheck {
 public:
  FormCheck(const Role& role, Mode mode, const Cadence& cadence, int rank, Report& report)
      : program_(program_of(role, mode)), mode_(mode), cadence_(cadence), rank_(rank), report_(report) {}

  void run() {
    check_buffers();
    for (int s = 0; s <= epilogue_section(program_); ++s) {
      const Instructions& section = program::section(program_, s);
      for (std::size_t i = 0; i < section.size(); ++i) {
        here_ = {mode_, s, static_cast<InstructionId>(i)};
        current_ = &section[i];
        std::visit(*this, current_->action);
        check_dependencies(static_cast<InstructionId>(section.size()));
        check_steps_back();
      }
    }
    for (const InputSlot& slot : program_.inputs)
      check_operand(slot.operand, "input '" + slot.tensor + "'", [&](const std::string& w) { add("input slot", w); });
    for (const MetricSlot& slot : program_.metrics)
      check_view(slot.view, "metric '" + slot.tensor + "'", [&](const std::string& w) { add("metric slot", w); });
  }

  void operator()(const Compute& compute) {
    if (compute.op == nullptr) add_here("has no op");
    expect(graph::Stream::compute);
    for (std::size_t i = 0; i < compute.inputs.size(); ++i) operand(compute.inputs[i], fmt::format("input {}", i));
    for (std::size_t i = 0; i < compute.outputs.size(); ++i) operand(compute.outputs[i], fmt::format("output {}", i));
    if (compute.workspace.buffer != none) view(compute.workspace, "its workspace");
  }
  void operator()(const CollectiveCall& call) {
    expect(graph::Stream::communication);
    operand(call.input, "input");
    operand(call.output, "output");
    if (call.workspace.buffer != none) view(call.workspace, "its workspace");
    if (call.in_turn && call.kind != graph::Collective::all_reduce) add_here("is in turn: only an all_reduce can be");
  }
  void operator()(const Send& send) { message(send.message); }
  void operator()(const Receive& receive) { message(receive.message); }
  void operator()(const Exchange& exchange) {
    for (const Message& sent : exchange.sends) message(sent);
    for (const Message& received : exchange.receives) message(received);
  }
  void operator()(const Copy& copy) {
    view(copy.from, "its source");
    view(copy.to, "its target");
    const graph::Stream stream = current_->stream;
    if (stream != graph::Stream::compute && stream != graph::Stream::copy)
      add_here("is a copy on the " + std::string(name(stream)) + " stream");
    if (copy.from.bytes != copy.to.bytes)
      add_here(fmt::format("copies {} bytes to {}", copy.from.bytes, copy.to.bytes));
  }
  void operator()(const Pack& pack) {
    expect(graph::Stream::compute);
    operand(pack.from, "its source");
    view(pack.to, "its target");
  }

 private:
  void add(const std::string& where, const std::string& what) {
    report_.add(rank_, (mode_ == Mode::evaluate ? "evaluate " : "") + where, what);
  }
  void add_here(const std::string& what) { report_.add(rank_, describe(program_, here_), what); }

  void check_buffers() {
    bool transient = false;
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      const Buffer& buffer = program_.buffers[i];
      const std::string where = fmt::format("buffer {} '{}'", i, buffer.name);
      if (buffer.bytes < 0 || buffer.versions < 1)
        add(where, fmt::format("has {} bytes and {} versions", buffer.bytes, buffer.versions));
      if (buffer.persistent && transient) add(where, "is persistent but follows a transient one");
      transient = transient || !buffer.persistent;
      if (buffer.persistent) continue;
      if (buffer.versions != 1) add(where, fmt::format("is transient but has {} versions", buffer.versions));
      if (buffer.offset < 0 || buffer.offset + buffer.bytes > program_.arena_bytes)
        add(where, fmt::format("uses bytes {} to {} of an arena of {}: has the memory been planned?", buffer.offset,
                               buffer.offset + buffer.bytes, program_.arena_bytes));
    }
  }

  void check_view(const View& view, const std::string& which, auto&& reject) {
    if (view.buffer < 0 || static_cast<std::size_t>(view.buffer) >= program_.buffers.size()) {
      reject(fmt::format("{} refers to buffer {} of {}", which, view.buffer, program_.buffers.size()));
      return;
    }
    const Buffer& buffer = program_.buffers[static_cast<std::size_t>(view.buffer)];
    const View taken = reach(program_, view);
    if (taken.offset < 0 || view.bytes < 0 || taken.offset + taken.bytes > buffer.bytes)
      reject(fmt::format("{} uses bytes {} to {} of '{}', which has {}", which, taken.offset,
                         taken.offset + taken.bytes, buffer.name, buffer.bytes));
    if (view.stride != 0 && program_.shard_axis.name.empty())
      reject(which + " has a stride, but its program has no shard axis");
    const bool ring = buffer.versions > 1;
    if (view.age < (ring ? -1 : 0) || view.age >= buffer.versions)
      reject(fmt::format("{} uses version {} of '{}', which has {}", which, view.age, buffer.name, buffer.versions));
  }

  void check_operand(const Operand& operand, const std::string& which, auto&& reject) {
    check_view(operand.view, which, reject);
    const auto wanted = static_cast<std::int64_t>(graph::bytes(operand.type));
    if (operand.view.bytes != wanted)
      reject(fmt::format("{} is {} of {} bytes, but its view has {}", which, graph::to_string(operand.type), wanted,
                         operand.view.bytes));
  }

  void view(const View& view, const std::string& which) {
    check_view(view, which, [&](const std::string& what) { add_here(what); });
  }
  void operand(const Operand& operand, const std::string& which) {
    check_operand(operand, which, [&](const std::string& what) { add_here(what); });
  }
  void message(const Message& message) {
    expect(graph::Stream::communication);
    operand(message.operand, fmt::format("tag {}", message.tag));
  }

  void expect(graph::Stream stream) {
    if (current_->stream != stream)
      add_here(fmt::format("is on the {} stream, but belongs on the {} stream", name(current_->stream), name(stream)));
  }

  void check_dependencies(InstructionId count) {
    for (const Dependency& d : current_->after) {
      const bool carried = d.iterations == 1 && is_body(program_, here_.section);
      const InstructionId limit = carried ? count : here_.instruction;
      if (d.iterations != 0 && !carried)
        add_here(
            fmt::format("depends on {} iterations before; only the body can do so, by one iteration", d.iterations));
      else if (d.instruction < 0 || d.instruction >= count)
        add_here(fmt::format("depends on instruction {}, which its section lacks", d.instruction));
      else if (d.instruction >= limit)
        add_here("depends on " + describe(program_, {mode_, here_.section, d.instruction}) +
                 ", which does not come before it: dependencies must point backwards");
    }
  }

  void check_steps_back() {
    const int back = current_->steps_back;
    if (back == 0) return;
    if (!is_body(program_, here_.section) || mode_ == Mode::evaluate)
      add_here("completes a previous step: only the body of a training can do so");
    const int body = here_.section - body_section(0);
    for (std::size_t before = 0; before < cadence_.fill.size(); ++before)
      if (cadence_.fill[before] == body && back > static_cast<int>(before))
        add_here(
            fmt::format("completes the step {} steps before, but its body of the fill follows {} steps", back, before));
    if (cadence_.repeats(body) && !cadence_.drain.empty() && back > std::ssize(cadence_.fill))
      add_here(fmt::format("completes the step {} steps before, but a fill has only {}", back, cadence_.fill.size()));
    for (std::size_t list = 0; list < cadence_.drain.size(); ++list)
      for (std::size_t after = 1; after <= cadence_.drain[list].size(); ++after)
        if (cadence_.drain[list][after - 1] == body &&
            (back < static_cast<int>(after) || back > static_cast<int>(list + after)))
          add_here(
              fmt::format("completes the step {} steps before, but its body is number {} of the drain after {} steps",
                          back, after, list + 1));
    if (program_.scalars.buffer != none && std::holds_alternative<Compute>(current_->action))
      add_here("needs the scalars of a previous step, which a program that keeps the loss scaler does not have");
  }

  const Program& program_;
  Mode mode_;
  const Cadence& cadence_;
  int rank_;
  Report& report_;
  Location here_;
  const Instruction* current_ = nullptr;
};

void check_shard_axis(const Plan& plan, int rank, Report& report) {
  const Role& role = plan.role(rank);
  for (const Program* program : {&role.train, &role.evaluate}) {
    const ShardAxis& axis = program->shard_axis;
    if (axis.name.empty()) continue;
    const int coordinate = shard_coordinate(plan, rank);
    if (axis.name != role.train.shard_axis.name)
      report.add(rank, "plan", "is sharded over '" + axis.name + "' in one program and not in the other");
    else if (!plan.meshes[static_cast<std::size_t>(role.mesh)].find(axis.name))
      report.add(rank, "plan", "is sharded over axis '" + axis.name + "', which its mesh lacks");
    else if (coordinate < axis.coordinates.begin || coordinate >= axis.coordinates.end)
      report.add(rank, "plan",
                 fmt::format("is at {} of axis '{}', but its role is for {} to {}", coordinate, axis.name,
                             axis.coordinates.begin, axis.coordinates.end - 1));
  }
}

void check_bodies(const Plan& plan, int rank, Report& report) {
  const Role& role = plan.role(rank);
  const auto bodies = static_cast<int>(role.train.bodies.size());
  if (role.evaluate.bodies.size() != 1)
    report.add(rank, "plan", fmt::format("its evaluation has {} bodies instead of one", role.evaluate.bodies.size()));
  if (plan.cadence.cycle_steps() < 1) report.add(rank, "plan", "its cadence has no cycle");
  std::vector<Cadence::Turn> once;
  for (const int body : plan.cadence.fill) once.push_back({body, 1});
  for (const std::vector<int>& drain : plan.cadence.drain)
    for (const int body : drain) once.push_back({body, 1});
  for (const std::vector<Cadence::Turn>& turns : {once, plan.cadence.ramp, plan.cadence.cycle})
    for (const Cadence::Turn& turn : turns)
      if (turn.body < 0 || turn.body >= bodies || turn.steps < 1)
        report.add(rank, "plan",
                   fmt::format("its cadence runs body {} for {} steps, and the role has {}", turn.body, turn.steps,
                               counted(bodies, "body", "bodies")));
}

}  // namespace

void check_roles(const Plan& plan, Report& report) {
  for (int rank = 0; rank < plan.ranks(); ++rank) {
    const int id = plan.role_of_rank[static_cast<std::size_t>(rank)];
    if (id < 0 || static_cast<std::size_t>(id) >= plan.roles.size()) {
      report.add(rank, "plan", fmt::format("has role {} of {}", id, plan.roles.size()));
      continue;
    }
    const int mesh = plan.role(rank).mesh;
    if (mesh < 0 || static_cast<std::size_t>(mesh) >= plan.meshes.size())
      report.add(rank, "plan", fmt::format("lies in mesh {} of {}", mesh, plan.meshes.size()));
    else if (!plan.meshes[static_cast<std::size_t>(mesh)].contains(rank))
      report.add(rank, "plan",
                 "lies outside its role's mesh " + plan.meshes[static_cast<std::size_t>(mesh)].to_string());
    else {
      check_shard_axis(plan, rank, report);
      check_bodies(plan, rank, report);
    }
  }
}

void check_form(const Role& role, Mode mode, const Cadence& cadence, int rank, Report& report) {
  FormCheck(role, mode, cadence, rank, report).run();
}

void check_shared_buffers(const Role& role, int rank, Report& report) {
  const auto& train = role.train.buffers;
  const auto& evaluate = role.evaluate.buffers;
  for (std::size_t i = 0; i < evaluate.size() && evaluate[i].persistent; ++i) {
    const std::string where = fmt::format("evaluate buffer {} '{}'", i, evaluate[i].name);
    if (i >= train.size() || !train[i].persistent)
      report.add(rank, where, "is persistent, but training has no such buffer there");
    else if (train[i].name != evaluate[i].name || train[i].bytes != evaluate[i].bytes ||
             train[i].versions != evaluate[i].versions || train[i].memory_class != evaluate[i].memory_class)
      report.add(rank, where,
                 fmt::format("differs from training's '{}' of {} bytes, with which it shares its memory", train[i].name,
                             train[i].bytes));
  }
}

}  // namespace ddlbench::program
