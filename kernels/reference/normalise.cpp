#include "graph/ops/normalise.h"

#include "kernels/functors/normalise.h"
#include "kernels/operands.h"
#include "kernels/own/bind.h"
#include "kernels/reference/ops.h"

namespace ddlbench::kernels::reference {

DDLBENCH_REFERENCE_KERNEL(normalise, Storage::any_float) {
  const NormaliseSizes z = sizes_of_normalise(binding);
  const graph::Normalisation how = attributes_of<graph::Normalise>(binding).normalisation;
  return own::with_storage(binding.outputs[0].dtype, [&]<class To>(own::StorageTag<To>) -> std::unique_ptr<Kernel> {
    return make_kernel(binding, [=](const Arguments& a) {
      for (std::int64_t i = 0; i < z.elements; ++i) {
        const auto channel = static_cast<std::size_t>(i / z.inner % z.channels);
        output_of<To>(a, 0)[i] = own::from_f32<To>(graph::normalised(how, channel, input_of<std::uint8_t>(a, 0)[i]));
      }
    });
  });
}

}  // namespace ddlbench::kernels::reference
