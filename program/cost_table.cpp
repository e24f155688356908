#include "program/cost_table.h"

#include <fmt/core.h>
#include <numeric>

#include "base/join.h"
#include "graph/placement.h"

namespace ddlbench::program {
namespace {

std::string types(const std::vector<Operand>& operands) {
  return joined(operands, ",", [](const Operand& operand) { return graph::to_string(operand.type); });
}

}  // namespace

std::string cost_key(const Compute& compute) {
  std::string key = fmt::format("{}|{}|{}|{}{}", compute.op->kind(), compute.op->attributes(), types(compute.inputs),
                                types(compute.outputs), compute.accumulate ? "|accumulate" : "|write");
  for (const int output : compute.written) key += fmt::format("|{}", output);
  return key;
}

std::int64_t moved_elements(const CollectiveCall& call) {
  if (!call.counts.empty()) return std::accumulate(call.counts.begin(), call.counts.end(), std::int64_t{0});
  const Operand& whole = call.kind == graph::Collective::all_gather ? call.output : call.input;
  return graph::elements(whole.type.shape);
}

std::string cost_key(const CollectiveCall& call, int members) {
  const std::string reduction = call.reduction == graph::Reduction::sum ? "sum" : "max";
  return fmt::format("{}|{}|{}|{}|{}|{}", graph::name(call.kind), reduction, call.algorithm.name(),
                     graph::name(call.input.type.dtype), moved_elements(call), members);
}

const OpCost* CostTable::find(const std::string& key) const {
  const auto found = costs_.find(key);
  return found == costs_.end() ? nullptr : &found->second;
}

}  // namespace ddlbench::program
