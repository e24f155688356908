#include "program/program.h"

namespace ddlbench::program {
namespace {

class Collector {
 public:
  void read(const View& view) { add(reads_, {view}); }
  void write(const View& view) { add(writes_, {view, true}); }
  void scratch(const View& view) { add(writes_, {view, true, true}); }

  std::vector<Access> all() && {
    reads_.insert(reads_.end(), writes_.begin(), writes_.end());
    return std::move(reads_);
  }

  void operator()(const Compute& compute) {
    for (const Operand& input : compute.inputs) read(input.view);
    for (const Operand& output : compute.outputs) {
      if (compute.accumulate) read(output.view);
      write(output.view);
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
  static void add(std::vector<Access>& list, Access access) {
    if (access.view.buffer != none && access.view.bytes > 0) list.push_back(access);
  }

  std::vector<Access> reads_;
  std::vector<Access> writes_;
};

}  // namespace

int version_slot(const Buffer& buffer, int age) {
  const int slot = age % buffer.versions;
  return slot < 0 ? slot + buffer.versions : slot;
}

std::vector<Access> accesses(const Instruction& instruction) {
  Collector collector;
  std::visit(collector, instruction.action);
  return std::move(collector).all();
}

}  // namespace ddlbench::program
