#include "program/roofline.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace ddlbench::program {
namespace {

double bytes_of(const Compute& compute) {
  const auto outputs = types_of(compute.outputs);
  double bytes = 0;
  std::set<std::tuple<BufferId, std::int64_t, int>> read;
  for (std::size_t i = 0; i < compute.inputs.size(); ++i) {
    const Operand& input = compute.inputs[i];
    if (!read.insert({input.view.buffer, input.view.offset, input.view.age}).second) continue;
    const bool rows = compute.op->gathers_from(static_cast<int>(i));
    bytes += static_cast<double>(rows ? graph::bytes(outputs.at(0)) : graph::bytes(input.type));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i)
    bytes += static_cast<double>(graph::bytes(outputs[i])) * (compute.adds_to(static_cast<int>(i)) ? 2 : 1);
  return bytes;
}

/// Returns nothing for instructions that are no work on the device.
std::vector<OpWork> work_of(const Instruction& instruction) {
  if (const auto* compute = std::get_if<Compute>(&instruction.action)) {
    const double flops = compute->op->flops(types_of(compute->inputs), types_of(compute->outputs));
    return {{std::string(compute->op->kind()), 1, flops, bytes_of(*compute)}};
  }
  if (const auto* copy = std::get_if<Copy>(&instruction.action))
    return {{"copy", 1, 0, static_cast<double>(copy->from.bytes + copy->to.bytes)}};
  if (const auto* pack = std::get_if<Pack>(&instruction.action))
    return {{"pack", 1, 0, static_cast<double>(pack->from.view.bytes + pack->to.bytes)}};
  return {};
}

void add(OpWork& to, const OpWork& work) {
  to.launches += work.launches;
  to.flops += work.flops;
  to.bytes += work.bytes;
  to.least_seconds += work.least_seconds;
  to.memory_seconds += work.memory_seconds;
}

}  // namespace

std::vector<OpWork> work_of_step(const Program& program, const Roof& roof) {
  std::map<std::string, OpWork> by_kind;
  for (const Instruction& instruction : program.bodies.front())
    for (OpWork& work : work_of(instruction)) {
      const double computing = work.flops / roof.flops_per_second, moving = work.bytes / roof.bytes_per_second;
      work.least_seconds = std::max(computing, moving);
      if (moving >= computing) work.memory_seconds = moving;
      OpWork& sum = by_kind[work.kind];
      sum.kind = work.kind;
      add(sum, work);
    }
  std::vector<OpWork> all;
  for (const auto& [kind, work] : by_kind) all.push_back(work);
  std::stable_sort(all.begin(), all.end(),
                   [](const OpWork& a, const OpWork& b) { return a.least_seconds > b.least_seconds; });
  return all;
}

OpWork total_of(const std::vector<OpWork>& work) {
  OpWork total{"total"};
  for (const OpWork& one : work) add(total, one);
  return total;
}

}  // namespace ddlbench::program
