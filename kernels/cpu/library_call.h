#pragma once

#include <vector>

#include "kernels/cpu/context.h"
#include "kernels/cpu/onednn.h"

namespace ddlbench::kernels::cpu {

/// A primitive that runs on operands in the layouts of their tensor types. Reorders operands before and after it if it
/// needs other layouts, and adds to the outputs if the primitive itself cannot. All intermediate results are in the
/// workspace.
class LibraryCall {
 public:
  LibraryCall(const Context& context, const onednn::Prepared& prepared, bool accumulate);

  std::size_t workspace_bytes() const { return workspace_bytes_; }
  void run(const void* const* inputs, void* const* outputs, void* workspace);

 private:
  struct Input {
    std::optional<onednn::Call> reorder;
    std::size_t offset = 0;  ///< of the reordered operand in the workspace
  };
  struct Output {
    bool direct = true;                   ///< the primitive writes to the output itself
    std::size_t offset = 0;               ///< otherwise: of the primitive's result in the workspace
    std::optional<onednn::Call> reorder;  ///< from there to the output, or to `dense_offset` if `add`
    bool add = false;                     ///< add the f32 numbers at `dense_offset` to the output
    std::size_t dense_offset = 0;
    graph::DType dtype = graph::DType::f32;
    std::int64_t elements = 0;
  };

  std::size_t reserve(std::size_t bytes);
  Output plan_output(const onednn::Operand& operand, bool accumulate, bool primitive_adds);

  const Context& context_;
  std::size_t workspace_bytes_ = 0;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::size_t scratchpad_offset_ = 0;
  onednn::Call primitive_;
};

}  // namespace ddlbench::kernels::cpu
