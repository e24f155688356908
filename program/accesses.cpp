#include <algorithm>

#include "program/program.h"

namespace ddlbench::program {
namespace {

class Collector {
 public:
  explicit Collector(const Program& program) : program_(program) {}

  void read(const View& view) { add(reads_, {view}); }
  void write(const View& view) { add(writes_, {view, true}); }
  void scratch(const View& view) { add(writes_, {view, true, true}); }

  std::vector<Access> all() && {
    reads_.insert(reads_.end(), writes_.begin(), writes_.end());
    return std::move(reads_);
  }

  void operator()(const Compute& compute) {
    for (const Operand& input : compute.inputs) read(input.view);
    for (std::size_t i = 0; i < compute.outputs.size(); ++i) {
      if (compute.adds_to(static_cast<int>(i))) read(compute.outputs[i].view);
      write(compute.outputs[i].view);
    }
    scratch(compute.workspace);
  }
  void operator()(const CollectiveCall& call) {
    read(call.input.view);
    write(call.output.view);
    scratch(call.workspace);
  }
  void operator()(const Send& send) { read(send.message.operand.view); }
  void operator()(const Receive& receive) { write(receive.message.operand.view); }
  void operator()(const Exchange& exchange) {
    for (const Message& message : exchange.sends) read(message.operand.view);
    for (const Message& message : exchange.receives) write(message.operand.view);
  }
  void operator()(const Copy& copy) {
    read(copy.from);
    write(copy.to);
  }
  void operator()(const Pack& pack) {
    read(pack.from.view);
    write(pack.to);
  }

 private:
  void add(std::vector<Access>& list, Access access) {
    if (access.view.buffer == none || access.view.bytes <= 0) return;
    access.view = reach(program_, access.view);
    list.push_back(access);
  }

  const Program& program_;
  std::vector<Access> reads_;
  std::vector<Access> writes_;
};

}  // namespace

std::vector<graph::TensorType> types_of(const std::vector<Operand>& operands) {
  std::vector<graph::TensorType> types;
  types.reserve(operands.size());
  for (const Operand& operand : operands) types.push_back(operand.type);
  return types;
}

int version_slot(const Buffer& buffer, int age) {
  const int slot = age % buffer.versions;
  return slot < 0 ? slot + buffer.versions : slot;
}

View located(const View& view, std::int64_t coordinate) {
  return {view.buffer, view.offset + view.stride * coordinate, view.bytes, view.age};
}

View reach(const Program& program, const View& view) {
  const graph::Extent& coordinates = program.shard_axis.coordinates;
  const View first = located(view, coordinates.begin), last = located(view, coordinates.end - 1);
  const std::int64_t begin = std::min(first.offset, last.offset),
                     end = std::max(first.offset, last.offset) + view.bytes;
  return {view.buffer, begin, end - begin, view.age};
}

std::vector<Access> accesses(const Program& program, const Instruction& instruction) {
  Collector collector(program);
  std::visit(collector, instruction.action);
  return std::move(collector).all();
}

}  // namespace ddlbench::program
