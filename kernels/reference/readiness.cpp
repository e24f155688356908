#include <limits>

#include "kernels/functors/readiness.h"
#include "kernels/operands.h"
#include "kernels/reference/ops.h"
#include "kernels/sizes/readiness.h"

namespace ddlbench::kernels::reference {

DDLBENCH_REFERENCE_KERNEL(mark_ready) {
  const graph::MarkReady& op = checked_mark_ready(binding);
  const ReadinessMark mark{op.ready.begin, op.ready.end};
  return make_kernel(binding, [mark, tensors = op.tensors](const Arguments& a) {
    for (std::int64_t i = 0; i < tensors; ++i) output_of<std::uint8_t>(a, 0)[i] = mark(i);
  });
}

DDLBENCH_REFERENCE_KERNEL(confirm_ready) {
  const std::int64_t cycles = cycles_of_confirm_ready(binding);
  const std::int64_t tensors = attributes_of<graph::ConfirmReady>(binding).tensors;
  return make_kernel(binding, [=](const Arguments& a) {
    const ReadyOnce ready{input_of<std::uint8_t>(a, 0), cycles, tensors};
    float result = *input(a, 1);
    for (std::int64_t i = 0; i < tensors; ++i)
      if (!ready(i)) result = std::numeric_limits<float>::quiet_NaN();
    *output(a, 0) = result;
  });
}

}  // namespace ddlbench::kernels::reference
