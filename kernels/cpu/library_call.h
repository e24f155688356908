#pragma once

#include <vector>

#include "kernels/cpu/context.h"
#include "kernels/cpu/onednn.h"

namespace ddlbench::kernels::cpu {

/// A primitive between operands as their types lay them out: reorders before and after it, and the addition where the
/// primitive itself cannot add, all in the workspace.
class LibraryCall {
 public:
  LibraryCall(const Context& context, const onednn::Prepared& prepared, bool accumulate);

  std::size_t workspace_bytes() const { return workspace_bytes_; }
  void run(const void* const* inputs, void* const* outputs, void* workspace);

 private:
  struct Input {
    std::optional<onednn::Call> reorder;
    std::size_t offset = 0;  ///< of the rewritten operand
  };
  struct Output {
    bool direct = true;                   ///< the primitive writes the output itself
    std::size_t offset = 0;               ///< of what the primitive writes otherwise
    std::optional<onednn::Call> reorder;  ///< of that into the output, or to `dense_offset`
    bool add = false;                     ///< what lies at `dense_offset`, in f32, to the output
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
