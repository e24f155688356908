#include "kernels/cpu/library_call.h"

#include "kernels/cpu/loops.h"

namespace ddlbench::kernels::cpu {
namespace {

std::vector<onednn::Call::Argument> arguments_of(const onednn::Prepared& prepared) {
  std::vector<onednn::Call::Argument> arguments;
  for (const auto& operand : prepared.inputs) arguments.push_back({operand.argument, operand.wanted});
  for (const auto& operand : prepared.outputs) arguments.push_back({operand.argument, operand.wanted});
  arguments.push_back({DNNL_ARG_SCRATCHPAD, prepared.scratchpad});
  return arguments;
}

}  // namespace

LibraryCall::LibraryCall(const Context& context, const onednn::Prepared& prepared, bool accumulate)
    : context_(context), primitive_(context.engine, prepared.primitive, arguments_of(prepared)) {
  for (const auto& operand : prepared.inputs) {
    Input input;
    if (operand.given != operand.wanted) {
      input.reorder = onednn::Call::reorder(context.engine, operand.given, operand.wanted);
      input.offset = reserve(onednn::bytes_of(operand.wanted));
    }
    inputs_.push_back(std::move(input));
  }
  for (const auto& operand : prepared.outputs) outputs_.push_back(plan_output(operand, accumulate, prepared.adds));
  scratchpad_offset_ = reserve(onednn::bytes_of(prepared.scratchpad));
}

std::size_t LibraryCall::reserve(std::size_t bytes) {
  constexpr std::size_t alignment = 64;
  const std::size_t offset = workspace_bytes_;
  workspace_bytes_ += (bytes + alignment - 1) / alignment * alignment;
  return offset;
}

LibraryCall::Output LibraryCall::plan_output(const onednn::Operand& operand, bool accumulate, bool primitive_adds) {
  Output output;
  output.dtype = onednn::dtype_of(operand.given);
  output.elements = onednn::elements_of(operand.given);
  output.direct = operand.given == operand.wanted && (!accumulate || primitive_adds);
  if (output.direct) return output;
  output.offset = reserve(onednn::bytes_of(operand.wanted));
  output.dense_offset = output.offset;
  output.add = accumulate;
  const auto dense = accumulate ? onednn::in_f32(operand.given) : operand.given;
  if (operand.wanted != dense) {
    output.reorder = onednn::Call::reorder(context_.engine, operand.wanted, dense);
    if (accumulate) output.dense_offset = reserve(onednn::bytes_of(dense));
  }
  return output;
}

void LibraryCall::run(const void* const* inputs, void* const* outputs, void* workspace) {
  auto* const base = static_cast<char*>(workspace);
  dnnl::stream stream = context_.stream;
  std::size_t argument = 0;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    void* address = const_cast<void*>(inputs[i]);  // oneDNN's interface is not const-correct
    if (inputs_[i].reorder) {
      inputs_[i].reorder->set(0, address);
      address = base + inputs_[i].offset;
      inputs_[i].reorder->set(1, address);
      inputs_[i].reorder->run(stream);
    }
    primitive_.set(argument++, address);
  }
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    primitive_.set(argument++, outputs_[o].direct ? outputs[o] : base + outputs_[o].offset);
  }
  primitive_.set(argument, base + scratchpad_offset_);
  primitive_.run(stream);
  for (std::size_t o = 0; o < outputs_.size(); ++o) {
    Output& output = outputs_[o];
    if (output.reorder) {
      output.reorder->set(0, base + output.offset);
      output.reorder->set(1, output.add ? base + output.dense_offset : outputs[o]);
      output.reorder->run(stream);
    }
    if (output.add) {
      add_to(context_.threads, output.dtype, outputs[o], reinterpret_cast<const float*>(base + output.dense_offset),
             output.elements);
    }
  }
}

}  // namespace ddlbench::kernels::cpu
