#include "kernels/rewrite/rewritten.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace ddlbench::kernels {
namespace {

/// An operand that is converted, and its place in the workspace.
struct RewrittenPart {
  std::size_t index = 0;  ///< index among the op's inputs or outputs
  Rewriting rewriting;
  std::size_t offset = 0;
  bool adds = false;  ///< for an output: the op accumulates into it
};

class RewrittenKernel final : public Kernel {
 public:
  RewrittenKernel(const Binding& binding, std::unique_ptr<Kernel> kernel, const RewritingOf& rewriting)
      : kernel_(std::move(kernel)),
        input_parts_(parts_of(binding.inputs, rewriting)),
        output_parts_(parts_of(binding.outputs, rewriting)),
        inputs_(binding.inputs.size()),
        outputs_(binding.outputs.size()) {
    for (RewrittenPart& part : output_parts_) part.adds = binding.adds_to(static_cast<int>(part.index));
  }

  void launch(const Arguments& arguments) override {
    auto* const base = static_cast<std::byte*>(arguments.workspace);
    std::copy_n(arguments.inputs, inputs_.size(), inputs_.begin());
    std::copy_n(arguments.outputs, outputs_.size(), outputs_.begin());
    for (const RewrittenPart& part : input_parts_) {
      inputs_[part.index] = base + part.offset;
      part.rewriting.convert(arguments.inputs[part.index], base + part.offset);
    }
    for (const RewrittenPart& part : output_parts_) {
      outputs_[part.index] = base + part.offset;
      if (part.adds) part.rewriting.convert(arguments.outputs[part.index], base + part.offset);
    }
    kernel_->launch({inputs_.data(), outputs_.data(), base + own_bytes_, arguments.scalars});
    for (const RewrittenPart& part : output_parts_)
      part.rewriting.restore(base + part.offset, arguments.outputs[part.index]);
  }
  std::size_t workspace_bytes() const override { return own_bytes_ + kernel_->workspace_bytes(); }
  double flops() const override { return kernel_->flops(); }

 private:
  std::vector<RewrittenPart> parts_of(const std::vector<graph::TensorType>& types, const RewritingOf& rewriting) {
    constexpr std::size_t alignment = 64;
    std::vector<RewrittenPart> parts;
    for (std::size_t i = 0; i < types.size(); ++i) {
      std::optional<Rewriting> of_operand = rewriting(types[i]);
      if (!of_operand) continue;
      const std::size_t offset = own_bytes_;
      own_bytes_ += (of_operand->bytes + alignment - 1) / alignment * alignment;
      parts.push_back({i, *std::move(of_operand), offset});
    }
    return parts;
  }

  std::unique_ptr<Kernel> kernel_;
  std::size_t own_bytes_ = 0;  ///< size of the converted operands; the workspace of the inner kernel follows
  std::vector<RewrittenPart> input_parts_, output_parts_;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
};

}  // namespace

std::unique_ptr<Kernel> on_rewritten(const Binding& binding, std::unique_ptr<Kernel> kernel,
                                     const RewritingOf& rewriting) {
  return std::make_unique<RewrittenKernel>(binding, std::move(kernel), rewriting);
}

}  // namespace ddlbench::kernels
