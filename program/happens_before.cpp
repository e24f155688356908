#include "program/happens_before.h"

#include <algorithm>

namespace ddlbench::program {

HappensBefore::HappensBefore(const std::vector<Instruction>& section) : nodes_(section.size()) {
  std::vector<InstructionId> after;
  for (std::size_t i = 0; i < section.size(); ++i) {
    const auto id = static_cast<InstructionId>(i);
    after.clear();
    for (const Dependency& d : section[i].after)
      if (d.iterations == 0 && d.instruction >= 0 && d.instruction < id) after.push_back(d.instruction);
    nodes_[i].compute = section[i].stream == graph::Stream::compute;
    if (nodes_[i].compute)
      add_compute(id, after);
    else
      add_other(id, after);
  }
}

void HappensBefore::add_compute(InstructionId id, const std::vector<InstructionId>& after) {
  Node& node = nodes_[index(id)];
  node.position = static_cast<int>(compute_.size());
  node.joined = node.position;
  compute_.push_back(id);
  for (InstructionId a : after) {
    const Node& earlier = nodes_[index(a)];
    if (earlier.compute) continue;
    join({earlier.chain, earlier.chain_index + 1}, node.position);
    for (Tick tick : earlier.clock) join(tick, node.position);
  }
}

void HappensBefore::add_other(InstructionId id, const std::vector<InstructionId>& after) {
  Node& node = nodes_[index(id)];
  for (InstructionId a : after) node.position = std::max(node.position, nodes_[index(a)].position);
  for (InstructionId a : after) {
    const Node& earlier = nodes_[index(a)];
    if (earlier.compute) continue;
    const Tick own{earlier.chain, earlier.chain_index + 1};
    advance(node.clock, own, node.position);
    for (Tick tick : earlier.clock) advance(node.clock, tick, node.position);
    const bool last_of_chain = chains_[index(own.chain)].size() == index(own.length);
    if (node.chain < 0 && last_of_chain) node.chain = own.chain;
  }
  if (node.chain < 0) {
    node.chain = static_cast<int>(chains_.size());
    chains_.emplace_back();
  }
  auto& chain = chains_[index(node.chain)];
  node.chain_index = static_cast<int>(chain.size());
  chain.push_back(id);
}

/// The members before a joined one were joined with it, so each member is visited only once in total.
void HappensBefore::join(Tick tick, int position) {
  const auto& chain = chains_[index(tick.chain)];
  for (int i = tick.length - 1; i >= 0; --i) {
    Node& member = nodes_[index(chain[index(i)])];
    if (member.joined != never) return;
    member.joined = position;
  }
}

bool HappensBefore::is_joined(Tick tick, int position) const {
  return nodes_[index(chains_[index(tick.chain)][index(tick.length - 1)])].joined <= position;
}

void HappensBefore::advance(std::vector<Tick>& clock, Tick tick, int position) const {
  if (is_joined(tick, position)) return;
  for (Tick& known : clock)
    if (known.chain == tick.chain) {
      known.length = std::max(known.length, tick.length);
      return;
    }
  clock.push_back(tick);
}

int HappensBefore::joined(InstructionId id) const {
  return nodes_[index(id)].joined;
}

bool HappensBefore::before(InstructionId a, InstructionId b) const {
  if (a >= b) return false;
  const Node& earlier = nodes_[index(a)];
  const Node& later = nodes_[index(b)];
  if (earlier.joined <= later.position) return true;
  if (later.compute || earlier.compute) return false;
  return std::any_of(later.clock.begin(), later.clock.end(),
                     [&](Tick tick) { return tick.chain == earlier.chain && tick.length > earlier.chain_index; });
}

void HappensBefore::delay(InstructionId later, int position) {
  Node& node = nodes_[index(later)];
  node.position = std::max(node.position, position);
}

}  // namespace ddlbench::program
