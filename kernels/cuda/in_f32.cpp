#include "kernels/cuda/in_f32.h"

#include <utility>
#include <vector>

#include "base/error.h"
#include "graph/ops/cast.h"
#include "kernels/cuda/ops.h"
#include "kernels/cuda/workspace.h"

namespace ddlbench::kernels::cuda {
namespace {

graph::TensorType in_f32(graph::TensorType type) {
  if (graph::is_narrow(type.dtype)) type.dtype = graph::DType::f32;
  return type;
}

class InF32 final : public Kernel {
 public:
  InF32(const Context& context, const Binding& binding,
        const std::function<std::unique_ptr<Kernel>(const Binding&)>& bind)
      : table_("cuda") {
    add_cast(table_, context);
    Binding wide{{binding.op}};
    for (std::size_t i = 0; i < binding.inputs.size(); ++i) {
      wide.inputs.push_back(in_f32(binding.inputs[i]));
      inputs_.push_back(operand(binding.inputs[i], wide.inputs[i]));
    }
    for (std::size_t o = 0; o < binding.outputs.size(); ++o) {
      wide.outputs.push_back(in_f32(binding.outputs[o]));
      outputs_.push_back(operand(wide.outputs[o], binding.outputs[o]));
    }
    kernel_ = bind(wide);
  }

  void launch(const Arguments& a) override {
    char* const workspace = aligned_workspace(a.workspace);
    std::vector<const void*> inputs(a.inputs, a.inputs + inputs_.size());
    std::vector<void*> outputs(a.outputs, a.outputs + outputs_.size());
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      if (inputs_[i].cast) inputs[i] = workspace + inputs_[i].offset;
    for (std::size_t o = 0; o < outputs_.size(); ++o)
      if (outputs_[o].cast) outputs[o] = workspace + outputs_[o].offset;
    for (std::size_t i = 0; i < inputs_.size(); ++i) convert(inputs_[i], a.inputs[i], const_cast<void*>(inputs[i]));
    kernel_->launch({inputs.data(), outputs.data(), workspace + bytes_, a.scalars});
    for (std::size_t o = 0; o < outputs_.size(); ++o) convert(outputs_[o], outputs[o], a.outputs[o]);
  }
  std::size_t workspace_bytes() const override { return bytes_with_alignment(bytes_ + kernel_->workspace_bytes()); }
  double flops() const override { return kernel_->flops(); }

 private:
  /// An operand and where it is in f32; one that has no conversion is used where it is.
  struct Operand {
    std::unique_ptr<Kernel> cast;
    std::size_t offset = 0;  ///< in the workspace
  };

  Operand operand(const graph::TensorType& from, const graph::TensorType& to) {
    if (from.dtype == to.dtype) return {};
    const std::size_t offset = bytes_;
    bytes_ += aligned_bytes(graph::bytes(in_f32(from)));
    return {table_.bind({{std::make_shared<graph::Cast>(to.dtype)}, {from}, {to}}), offset};
  }
  static void convert(const Operand& operand, const void* from, void* to) {
    if (operand.cast) operand.cast->launch({&from, &to, nullptr, nullptr});
  }

  KernelTable table_;
  std::vector<Operand> inputs_, outputs_;
  std::size_t bytes_ = 0;  ///< of the operands in f32
  std::unique_ptr<Kernel> kernel_;
};

}  // namespace

std::unique_ptr<Kernel> bind_in_f32(const Context& context, const Binding& binding,
                                    const std::function<std::unique_ptr<Kernel>(const Binding&)>& bind) {
  require(!binding.accumulate, "a kernel for f32 cannot add to outputs of 16 bits");
  return std::make_unique<InF32>(context, binding, bind);
}

}  // namespace ddlbench::kernels::cuda
