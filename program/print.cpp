#include "program/print.h"

#include <fmt/core.h>
#include <algorithm>
#include <ostream>

#include "base/join.h"
#include "base/printable.h"
#include "program/check/report.h"

namespace ddlbench::program {
namespace {

std::string to_string(const CoordinateRule& rule) {
  switch (rule.kind) {
    case CoordinateRule::Kind::keep:
      return "same";
    case CoordinateRule::Kind::offset:
      return (rule.value < 0 ? "" : "+") + std::to_string(rule.value);
    case CoordinateRule::Kind::rotated:
      return fmt::format("{:+} modulo", rule.value);
    case CoordinateRule::Kind::fixed:
      return fmt::format("={}", rule.value);
    case CoordinateRule::Kind::mirrored:
      return "mirrored";
  }
  return "?";
}

/// Returns "after the prologue 1; then again and again 0", for example.
std::string to_string(const Cadence& cadence) {
  const auto turns = [](const std::vector<Cadence::Turn>& all) {
    return joined(all, ", ", [](const Cadence::Turn& turn) {
      return fmt::format("{}{}", turn.body, turn.steps == 1 ? "" : fmt::format(" x {}", turn.steps));
    });
  };
  std::string text;
  if (!cadence.fill.empty()) text += fmt::format("after the prologue {}; ", joined(cadence.fill, ", "));
  if (!cadence.ramp.empty()) text += fmt::format("in the first steps {}; ", turns(cadence.ramp));
  text += "then again and again " + turns(cadence.cycle);
  for (std::size_t steps = 1; steps <= cadence.drain.size(); ++steps)
    text += fmt::format("; at the end, after {}{} {}, {}", steps, steps == cadence.drain.size() ? " or more" : "",
                        steps == 1 ? "step" : "steps", joined(cadence.drain[steps - 1], ", "));
  return text;
}

class ProgramPrinter {
 public:
  ProgramPrinter(std::ostream& out, const Plan& plan, const Program& program)
      : out_(out), plan_(plan), program_(program) {}

  void print() {
    print_buffers();
    for (int s = 0; s <= epilogue_section(program_); ++s)
      print_section(section_name(program_, s), section(program_, s));
    for (const InputSlot& slot : program_.inputs)
      out_ << "    input " << printable(slot.tensor) << " -> " << operand(slot.operand) << by_axes(" over ", slot.axes)
           << "\n";
    for (const MetricSlot& slot : program_.metrics)
      out_ << "    metric " << printable(slot.tensor) << " <- " << view(slot.view)
           << by_axes(" replicated over ", slot.replicated_axes) << "\n";
  }

  std::string operator()(const Compute& c) const {
    const std::string attributes = c.op->attributes();
    return fmt::format("{}{} {}{}{}{}{}", c.op->kind(), attributes.empty() ? "" : "{" + attributes + "}",
                       operands(c.inputs), c.accumulate ? " +=> " : " -> ", operands(c.outputs),
                       c.written.empty() ? "" : " written " + joined(c.written, ","), workspace(c.workspace));
  }
  std::string operator()(const CollectiveCall& c) const {
    const std::string kind(graph::name(c.kind));
    const bool reduces = c.kind == graph::Collective::all_reduce || c.kind == graph::Collective::reduce_scatter;
    const std::string how = reduces ? std::string(c.reduction == graph::Reduction::sum ? "sum " : "max ") : "";
    const std::string counts = c.counts.empty() ? "" : " counts " + joined(c.counts, "+");
    return fmt::format("{}{{{}{}}}{} over {}{} {} -> {}{}", kind, how, c.algorithm.name(), c.in_turn ? " in turn" : "",
                       group(c.group), counts, operand(c.input), operand(c.output), workspace(c.workspace));
  }
  std::string operator()(const Send& s) const { return "send " + message(s.message, " to "); }
  std::string operator()(const Receive& r) const { return "receive " + message(r.message, " from "); }
  std::string operator()(const Exchange& e) const {
    const auto sends = joined(e.sends, ", ", [&](const Message& m) { return message(m, " to "); });
    const auto receives = joined(e.receives, ", ", [&](const Message& m) { return message(m, " from "); });
    return fmt::format("exchange sends [{}] receives [{}]", sends, receives);
  }
  std::string operator()(const Copy& c) const { return fmt::format("copy {} -> {}", view(c.from), view(c.to)); }
  std::string operator()(const Pack& p) const {
    return fmt::format("pack{{{}}} {} -> {}", p.layout, operand(p.from), view(p.to));
  }

 private:
  void print_buffers() {
    for (const Buffer& b : program_.buffers) {
      if (!b.persistent) continue;
      out_ << "    buffer '" << printable(b.name) << "' " << name(b.memory_class) << " " << b.bytes << " bytes";
      if (b.versions != 1) out_ << " x " << b.versions << " versions";
      out_ << "\n";
    }
    const auto transient =
        std::count_if(program_.buffers.begin(), program_.buffers.end(), [](const Buffer& b) { return !b.persistent; });
    out_ << "    arena " << program_.arena_bytes << " bytes for " << transient << " transient buffers\n";
  }

  void print_section(const std::string& section, const Instructions& instructions) {
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      const Instruction& instruction = instructions[i];
      out_ << "    " << section << "[" << i << "] '" << printable(instruction.name) << "' " << name(instruction.phase)
           << " " << name(instruction.stream) << " microbatch " << instruction.microbatch;
      if (instruction.stage != 0) out_ << " stage " << instruction.stage;
      if (instruction.steps_back == 1) out_ << " completes the previous step";
      if (instruction.steps_back > 1) out_ << fmt::format(" of {} steps before", instruction.steps_back);
      out_ << ": " << std::visit(*this, instruction.action);
      if (!instruction.after.empty())
        out_ << " after " << joined(instruction.after, " ", [](const Dependency& d) {
          return std::to_string(d.instruction) + (d.iterations == 0 ? "" : fmt::format("(-{})", d.iterations));
        });
      out_ << "\n";
    }
  }

  std::string view(const View& v) const {
    if (v.buffer == none) return "nothing";
    const bool known = static_cast<std::size_t>(v.buffer) < program_.buffers.size();
    std::string text = known ? program_.buffers[static_cast<std::size_t>(v.buffer)].name : std::to_string(v.buffer);
    if (v.offset != 0) text += fmt::format("+{}", v.offset);
    if (v.stride != 0) text += fmt::format("+{}*{}", v.stride, program_.shard_axis.name);
    if (v.age != 0) text += fmt::format("@{}", v.age);
    return printable(text);
  }
  std::string operand(const Operand& o) const { return fmt::format("{}:{}", view(o.view), graph::to_string(o.type)); }
  std::string operands(const std::vector<Operand>& list) const {
    return "(" + joined(list, ", ", [&](const Operand& o) { return operand(o); }) + ")";
  }
  std::string workspace(const View& v) const { return v.buffer == none ? "" : fmt::format(" using {} bytes", v.bytes); }
  std::string message(const Message& m, const std::string& direction) const {
    return fmt::format("{}{}{} tag {}", operand(m.operand), direction, peer(m.peer), m.tag);
  }

  /// Returns the coordinates in which the peer differs from its own rank.
  std::string peer(const Peer& p) const {
    std::string text = p.mesh == 0 ? "" : fmt::format("mesh {}", p.mesh);
    const auto& axes = plan_.meshes[static_cast<std::size_t>(p.mesh)].axes();
    for (std::size_t i = 0; i < p.rules.size() && i < axes.size(); ++i) {
      if (p.rules[i].kind == CoordinateRule::Kind::keep) continue;
      if (!text.empty()) text += " ";
      text += axes[i].name + to_string(p.rules[i]);
    }
    return text;
  }
  std::string group(const Group& g) const {
    std::string text = g.mesh == 0 ? "" : fmt::format("mesh {} ", g.mesh);
    for (std::size_t i = 0; i < g.axes.size(); ++i) {
      text += (i == 0 ? "" : " x ") + g.axes[i];
      if (i < g.only.size() && !g.only[i].empty()) text += "{" + joined(g.only[i], ",") + "}";
    }
    return text;
  }
  static std::string by_axes(const std::string& before, const std::vector<std::string>& axes) {
    return axes.empty() ? "" : before + joined(axes, " x ");
  }

  std::ostream& out_;
  const Plan& plan_;
  const Program& program_;
};

void print_role(std::ostream& out, const Plan& plan, std::size_t index) {
  const Role& role = plan.roles[index];
  std::vector<int> ranks;
  for (int rank = 0; rank < plan.ranks(); ++rank)
    if (plan.role_of_rank[static_cast<std::size_t>(rank)] == static_cast<int>(index)) ranks.push_back(rank);
  out << "role " << index << " '" << role.name << "' of mesh " << role.mesh << ", " << describe(ranks) << "\n";
  out << "  train\n";
  ProgramPrinter(out, plan, role.train).print();
  out << "  evaluate\n";
  ProgramPrinter(out, plan, role.evaluate).print();
}

}  // namespace

void print(std::ostream& out, const Plan& plan) {
  for (std::size_t i = 0; i < plan.meshes.size(); ++i) {
    const Mesh& mesh = plan.meshes[i];
    out << "mesh " << i << ": " << mesh.to_string() << ", ranks " << mesh.first_rank() << " to "
        << mesh.first_rank() + mesh.size() - 1 << "\n";
  }
  out << "global batch " << plan.global_batch << " in " << plan.microbatches << " micro-batches\n";
  out << "promise " << name(plan.promise.kind);
  if (plan.promise.staleness != 0) out << " by " << plan.promise.staleness << " steps";
  out << (plan.promise.how.empty() ? "" : ": " + plan.promise.how) << "\n";
  if (plan.cadence != Cadence{}) out << "bodies " << to_string(plan.cadence) << "\n";
  for (const std::string& choice : plan.choices) out << "choice " << choice << "\n";
  for (std::size_t i = 0; i < plan.roles.size(); ++i) print_role(out, plan, i);
}

std::string describe_meshes(const Plan& plan) {
  return joined(plan.meshes, " | ", [](const Mesh& mesh) { return mesh.to_string(); });
}

}  // namespace ddlbench::program
