#include "graph/ops/dropout.h"

#include "kernels/functors/dropout_mask.h"
#include "kernels/operands.h"
#include "kernels/own/bind.h"
#include "kernels/reference/ops.h"
#include "kernels/sizes/norm.h"

namespace ddlbench::kernels::reference {

DDLBENCH_REFERENCE_KERNEL(dropout) {
  const auto z = sizes_of_dropout(binding);
  const auto& op = attributes_of<graph::Dropout>(binding);
  const DropoutRule rule(op.rate, op.layer);
  return make_kernel(binding, [z, rule, accumulate = binding.accumulate](const Arguments& a) {
    const DropoutDraw draw(rule, *a.scalars);
    for (std::int64_t i = 0; i < z.elements(); ++i) {
      const std::int64_t run = i / z.run % z.runs, sample = i / z.run / z.runs;
      const std::int64_t e = run * z.stride + z.offset + i % z.run;
      const auto words = draw.words(input_of<std::int32_t>(a, 1)[sample], e / words_per_draw);
      const bool keeps = words.v[e % words_per_draw] >= rule.threshold;
      write(output(a, 0)[i], keeps ? input(a, 0)[i] * rule.scale : 0, accumulate);
    }
  });
}

DDLBENCH_REFERENCE_KERNEL(cast, Storage::any_float, Channels::in_blocks) {
  const auto size = size_of_cast(binding);
  return own::with_storage(binding.inputs[0].dtype, [&](auto from) {
    return own::with_storage(binding.outputs[0].dtype, [&](auto to) -> std::unique_ptr<Kernel> {
      using From = typename decltype(from)::type;
      using To = typename decltype(to)::type;
      return make_kernel(binding, [size, accumulate = binding.accumulate](const Arguments& a) {
        for (std::int64_t i = 0; i < size; ++i) {
          own::store_one(output_of<To>(a, 0) + i, own::to_f32(input_of<From>(a, 0)[i]), accumulate);
        }
      });
    });
  });
}

}  // namespace ddlbench::kernels::reference
