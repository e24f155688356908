#include "kernels/functors/normalise.h"

#include <algorithm>

#include "graph/ops/normalise.h"
#include "kernels/cpu/ops.h"
#include "kernels/cpu/parallel.h"
#include "kernels/operands.h"
#include "kernels/own/bind.h"

namespace ddlbench::kernels::cpu {
namespace {

template <class Points, class To>
void normalise(int threads, const NormaliseSizes& z, const Points& points, const std::uint8_t* x, To* y) {
  parallel_for(threads, z.elements, z.elements, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end;) {
      const std::int64_t plane = i / z.inner;
      const auto point = points.of(plane % z.channels);
      const std::int64_t stop = std::min(end, (plane + 1) * z.inner);
      DDLBENCH_INDEPENDENT
      for (std::int64_t k = i; k < stop; ++k) y[k] = own::from_f32<To>(point(x[k]));
      i = stop;
    }
  });
}

}  // namespace

DDLBENCH_CPU_KERNEL(normalise, Storage::any_float) {
  const NormaliseSizes z = sizes_of_normalise(binding);
  return own::with_storage(binding.outputs[0].dtype, [&]<class To>(own::StorageTag<To>) {
    return with_points(attributes_of<graph::Normalise>(binding).normalisation,
                       [&](const auto& points) -> std::unique_ptr<Kernel> {
                         return make_kernel(binding, [z, points, threads = context.threads](const Arguments& a) {
                           normalise(threads, z, points, input_of<std::uint8_t>(a, 0), output_of<To>(a, 0));
                         });
                       });
  });
}

}  // namespace ddlbench::kernels::cpu
