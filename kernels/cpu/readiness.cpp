#include <limits>

#include "kernels/cpu/ops.h"
#include "kernels/functors/readiness.h"
#include "kernels/operands.h"
#include "kernels/own/bind.h"
#include "kernels/sizes/readiness.h"

namespace ddlbench::kernels::cpu {

DDLBENCH_CPU_KERNEL(mark_ready) {
  const graph::MarkReady& op = checked_mark_ready(binding);
  const ReadinessMark mark{op.ready.begin, op.ready.end};
  return make_kernel(binding, [mark, tensors = op.tensors](const Arguments& a) {
    auto* marks = output_of<std::uint8_t>(a, 0);
    for (std::int64_t i = 0; i < tensors; ++i) marks[i] = mark(i);
  });
}

DDLBENCH_CPU_KERNEL(confirm_ready, Storage::any_float) {
  const std::int64_t cycles = cycles_of_confirm_ready(binding);
  const std::int64_t tensors = attributes_of<graph::ConfirmReady>(binding).tensors;
  return own::with_storage(binding.inputs[1].dtype, [&]<class T>(own::StorageTag<T>) {
    return make_kernel(binding, [=](const Arguments& a) {
      const ReadyOnce ready{input_of<std::uint8_t>(a, 0), cycles, tensors};
      T result = *input_of<T>(a, 1);
      for (std::int64_t i = 0; i < tensors; ++i)
        if (!ready(i)) result = own::from_f32<T>(std::numeric_limits<float>::quiet_NaN());
      *output_of<T>(a, 0) = result;
    });
  });
}

}  // namespace ddlbench::kernels::cpu
