#include "kernels/widen.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/convert.h"

namespace ddlbench::kernels {
namespace {

/// An operand of 16 bits, and where it lies in the workspace while it is f32.
struct Part {
  std::size_t index = 0;  ///< of the op's inputs or outputs
  graph::DType dtype = graph::DType::bf16;
  std::int64_t elements = 0;
  std::size_t offset = 0;
};

class WidenedKernel final : public Kernel {
 public:
  WidenedKernel(const Binding& narrow, std::unique_ptr<Kernel> wide, int threads)
      : wide_(std::move(wide)),
        threads_(threads),
        accumulate_(narrow.accumulate),
        input_parts_(parts_of(narrow.inputs)),
        output_parts_(parts_of(narrow.outputs)),
        inputs_(narrow.inputs.size()),
        outputs_(narrow.outputs.size()) {}

  void launch(const Arguments& arguments) override {
    auto* const base = static_cast<std::byte*>(arguments.workspace);
    std::copy_n(arguments.inputs, inputs_.size(), inputs_.begin());
    std::copy_n(arguments.outputs, outputs_.size(), outputs_.begin());
    for (const Part& part : input_parts_) inputs_[part.index] = widen_part(part, arguments.inputs[part.index], base);
    for (const Part& part : output_parts_) {
      outputs_[part.index] = accumulate_ ? widen_part(part, arguments.outputs[part.index], base) : at(part, base);
    }
    wide_->launch({inputs_.data(), outputs_.data(), base + own_bytes_, arguments.scalars});
    for (const Part& part : output_parts_) {
      narrow(threads_, part.dtype, at(part, base), arguments.outputs[part.index], part.elements);
    }
  }
  std::size_t workspace_bytes() const override { return own_bytes_ + wide_->workspace_bytes(); }
  double flops() const override { return wide_->flops(); }

 private:
  std::vector<Part> parts_of(const std::vector<graph::TensorType>& types) {
    constexpr std::size_t alignment = 64;
    std::vector<Part> parts;
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (!is_narrow(types[i].dtype)) continue;
      const std::int64_t elements = graph::elements(types[i].shape);
      parts.push_back({i, types[i].dtype, elements, own_bytes_});
      own_bytes_ += (static_cast<std::size_t>(elements) * sizeof(float) + alignment - 1) / alignment * alignment;
    }
    return parts;
  }

  static float* at(const Part& part, std::byte* base) { return reinterpret_cast<float*>(base + part.offset); }

  float* widen_part(const Part& part, const void* from, std::byte* base) const {
    kernels::widen(threads_, part.dtype, from, at(part, base), part.elements);
    return at(part, base);
  }

  std::unique_ptr<Kernel> wide_;
  int threads_;
  bool accumulate_;
  std::size_t own_bytes_ = 0;  ///< of the parts; the workspace of the kernel of f32 lies behind them
  std::vector<Part> input_parts_, output_parts_;
  std::vector<const void*> inputs_;
  std::vector<void*> outputs_;
};

std::vector<graph::TensorType> widened(std::vector<graph::TensorType> types) {
  for (graph::TensorType& type : types) {
    if (is_narrow(type.dtype)) type.dtype = graph::DType::f32;
  }
  return types;
}

}  // namespace

Binding widened(const Binding& binding) {
  return {binding.op, widened(binding.inputs), widened(binding.outputs), binding.accumulate};
}

std::unique_ptr<Kernel> widen(const Binding& narrow, std::unique_ptr<Kernel> wide, int threads) {
  return std::make_unique<WidenedKernel>(narrow, std::move(wide), threads);
}

}  // namespace ddlbench::kernels
