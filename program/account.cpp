#include "program/account.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "program/collective_steps.h"

namespace ddlbench::program {
namespace {

/// What one rank does in one body.
struct BodyAccount {
  std::map<Phase, double> flops;
  SentBytes sent_bytes;
};

class StepAccountant {
 public:
  StepAccountant(const Plan& plan, int rank, BodyAccount& account) : plan_(plan), rank_(rank), account_(account) {}

  void add(const Instruction& instruction) {
    phase_ = instruction.phase;
    std::visit(*this, instruction.action);
  }

  void operator()(const Compute& compute) {
    account_.flops[phase_] += compute.op->flops(types_of(compute.inputs), types_of(compute.outputs));
  }
  void operator()(const CollectiveCall& call) {
    const std::vector<int> ranks = members(call.group, plan_.meshes, rank_);
    const auto own = std::find(ranks.begin(), ranks.end(), rank_);
    require(own != ranks.end(), "a collective's group does not contain its own rank");
    account_.sent_bytes[std::string(graph::name(call.kind))] +=
        sent_bytes(call, static_cast<int>(ranks.size()), static_cast<int>(own - ranks.begin()));
  }
  void operator()(const Send& send) { add_message(send.message); }
  void operator()(const Receive&) {}
  void operator()(const Exchange& exchange) {
    for (const Message& message : exchange.sends) add_message(message);
  }
  void operator()(const Copy&) {}
  void operator()(const Pack&) {}

 private:
  void add_message(const Message& message) { account_.sent_bytes["send"] += message.operand.view.bytes; }

  const Plan& plan_;
  int rank_;
  BodyAccount& account_;
  Phase phase_ = Phase::forward;
};

/// Returns the sum over `runs[body]` runs of each body.
BodyAccount account_of_runs(const Plan& plan, int rank, const std::vector<std::int64_t>& runs) {
  BodyAccount sum;
  for (std::size_t body = 0; body < runs.size(); ++body) {
    if (runs[body] == 0) continue;
    BodyAccount once;
    StepAccountant accountant(plan, rank, once);
    for (const Instruction& instruction : plan.role(rank).train.bodies[body]) accountant.add(instruction);
    for (const auto& [phase, flops] : once.flops) sum.flops[phase] += static_cast<double>(runs[body]) * flops;
    for (const auto& [operation, bytes] : once.sent_bytes) sum.sent_bytes[operation] += runs[body] * bytes;
  }
  return sum;
}

using BytesByClass = std::array<std::int64_t, memory_classes>;

/// The issue indices of the first and the last access to a transient buffer. `first` > `last` if the buffer is unused.
struct LiveRange {
  std::size_t first = static_cast<std::size_t>(-1);
  std::size_t last = 0;
};

std::vector<LiveRange> live_ranges(const Program& program, int index) {
  std::vector<LiveRange> found(program.buffers.size());
  const Instructions& instructions = section(program, index);
  for (std::size_t i = 0; i < instructions.size(); ++i)
    for (const Access& access : accesses(program, instructions[i])) {
      LiveRange& stretch = found[static_cast<std::size_t>(access.view.buffer)];
      stretch.first = std::min(stretch.first, i);
      stretch.last = std::max(stretch.last, i);
    }
  if (!is_body(program, index) || instructions.empty()) return found;
  for (const InputSlot& slot : program.inputs)
    if (slot.operand.view.buffer != none) found[static_cast<std::size_t>(slot.operand.view.buffer)].first = 0;
  for (const MetricSlot& slot : program.metrics)
    if (slot.view.buffer != none) found[static_cast<std::size_t>(slot.view.buffer)].last = instructions.size() - 1;
  return found;
}

std::int64_t sum(const BytesByClass& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

void raise_to_peak_of(const Program& program, int index, Account& account) {
  std::vector<BytesByClass> change(section(program, index).size() + 1, BytesByClass{});
  const std::vector<LiveRange> found = live_ranges(program, index);
  for (std::size_t b = 0; b < found.size(); ++b) {
    const Buffer& buffer = program.buffers[b];
    if (buffer.persistent || found[b].first > found[b].last) continue;
    const auto c = static_cast<std::size_t>(buffer.memory_class);
    change[found[b].first][c] += buffer.bytes;
    change[found[b].last + 1][c] -= buffer.bytes;
  }
  BytesByClass now{};
  for (const BytesByClass& step : change) {
    for (std::size_t c = 0; c < now.size(); ++c) {
      now[c] += step[c];
      account.peak_bytes_by_class[c] = std::max(account.peak_bytes_by_class[c], now[c]);
    }
    if (sum(now) > sum(account.bytes_by_class_at_peak)) account.bytes_by_class_at_peak = now;
  }
}

void add_memory(const Role& role, Account& account) {
  const Program& program = role.train;
  for (int s = 0; s <= epilogue_section(program); ++s) raise_to_peak_of(program, s, account);
  account.peak_bytes = account.arena_bytes = std::max(program.arena_bytes, role.evaluate.arena_bytes);
  for (const Buffer& buffer : program.buffers) {
    if (!buffer.persistent) continue;
    const std::int64_t bytes = buffer.bytes * buffer.versions;
    const auto memory_class = static_cast<std::size_t>(buffer.memory_class);
    account.persistent_bytes_by_class[memory_class] += bytes;
    account.peak_bytes_by_class[memory_class] += bytes;
    account.bytes_by_class_at_peak[memory_class] += bytes;
    account.peak_bytes += bytes;
  }
}

}  // namespace

double Account::total_flops() const {
  double sum = 0;
  for (const auto& [phase, count] : flops) sum += count;
  return sum;
}

std::int64_t Account::total_sent_bytes() const {
  std::int64_t sum = 0;
  for (const auto& [operation, bytes] : sent_bytes) sum += bytes;
  return sum;
}

std::int64_t sent_bytes(const CollectiveCall& call, int members, int index) {
  const CollectiveSteps steps(call, members);
  const auto emit = [&](const collectives::Emit& each) { steps.emit(index, each); };
  return bytes_of(collectives::sent_elements(emit), call.input.type.dtype);
}

Account account(const Plan& plan, int rank) {
  require(rank >= 0 && rank < plan.ranks(), "a rank of the plan");
  Account result;
  const std::int64_t cycle = plan.cadence.cycle_steps();
  const BodyAccount sum =
      account_of_runs(plan, rank, plan.cadence.steps_of_bodies(plan.role(rank).train.bodies.size()));
  for (const auto& [phase, flops] : sum.flops) result.flops[phase] = flops / static_cast<double>(cycle);
  for (const auto& [operation, bytes] : sum.sent_bytes) result.sent_bytes[operation] = (bytes + cycle / 2) / cycle;
  add_memory(plan.role(rank), result);
  return result;
}

SentBytes sent_in_runs(const Plan& plan, int rank, const std::vector<std::int64_t>& runs) {
  return account_of_runs(plan, rank, runs).sent_bytes;
}

}  // namespace ddlbench::program
