#include "graph/ops/cast.h"

#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/operands.h"
#include "kernels/own/bind.h"
#include "kernels/sizes/norm.h"

namespace ddlbench::kernels::cpu {
namespace {

template <class From, class To>
void cast(int threads, std::int64_t size, const From* x, To* y, bool accumulate) {
  parallel_for(threads, size, size, [=](std::int64_t begin, std::int64_t end) {
    if (accumulate) {
      DDLBENCH_INDEPENDENT
      for (std::int64_t i = begin; i < end; ++i) y[i] = own::from_f32<To>(own::to_f32(y[i]) + own::to_f32(x[i]));
    } else {
      DDLBENCH_INDEPENDENT
      for (std::int64_t i = begin; i < end; ++i) y[i] = own::from_f32<To>(own::to_f32(x[i]));
    }
  });
}

}  // namespace

DDLBENCH_CPU_KERNEL(cast, Storage::any_float, Channels::in_blocks) {
  const auto size = size_of_cast(binding);
  return own::with_storage(binding.inputs[0].dtype, [&](auto from) {
    return own::with_storage(binding.outputs[0].dtype, [&](auto to) -> std::unique_ptr<Kernel> {
      using From = typename decltype(from)::type;
      using To = typename decltype(to)::type;
      return make_kernel(binding,
                         [size, threads = context.threads, accumulate = binding.accumulate](const Arguments& a) {
                           cast(threads, size, input_of<From>(a, 0), output_of<To>(a, 0), accumulate);
                         });
    });
  });
}

}  // namespace ddlbench::kernels::cpu
