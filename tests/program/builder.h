#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "program/passes.h"
#include "program/plan.h"

namespace ddlbench::test {

/// An op with any inputs and outputs. It counts one FLOP for each element of its outputs.
struct AnyOp final : graph::Op {
  std::string_view kind() const override { return "any"; }
  std::vector<graph::TensorType> infer(graph::Types inputs) const override { return {inputs.begin(), inputs.end()}; }
  double flops(graph::Types inputs, graph::Types outputs) const override;
};

/// A whole buffer, or `count` f32 elements of it from element `first` on.
struct Range {
  program::BufferId buffer = program::none;
  std::int64_t first = 0;
  std::int64_t count = -1;
  int age = 0;
};

/// A builder of programs. Sizes are in f32 elements. Instructions are added to the body, or to `section` if it is set.
/// A returned reference is valid until the next call.
class Builder {
 public:
  program::Program program;

  program::BufferId transient(const std::string& name, std::int64_t count,
                              program::MemoryClass memory_class = program::MemoryClass::activations);
  program::BufferId persistent(const std::string& name, std::int64_t count,
                               program::MemoryClass memory_class = program::MemoryClass::parameters);

  program::Instruction& compute(const std::string& name, std::vector<Range> inputs, std::vector<Range> outputs);
  program::Instruction& accumulate(const std::string& name, std::vector<Range> inputs, std::vector<Range> outputs);
  program::Instruction& send(const std::string& name, Range what, int to, int tag);
  program::Instruction& receive(const std::string& name, Range what, int from, int tag);
  /// {what, peer, tag}.
  struct End {
    Range what;
    int peer;
    int tag;
  };
  program::Instruction& exchange(const std::string& name, std::vector<End> sends, std::vector<End> receives);
  program::Instruction& all_reduce(const std::string& name, Range what, const std::string& axis = "data");

  std::vector<program::Instruction>* section = nullptr;  ///< null: the body

  program::Operand operand(Range range) const;

 private:
  program::Instruction& add(const std::string& name, program::Action action, graph::Stream stream);
  program::Message message(Range what, int peer, int tag) const;
};

/// Returns a plan with one role for each rank, on a mesh with the single axis "data".
program::Plan plan_of(std::vector<program::Program> programs);

/// Returns the same plan, completed without costs.
program::Plan completed(std::vector<program::Program> programs);

}  // namespace ddlbench::test
