#pragma once

#include "graph/ops/normalise.h"
#include "kernels/functors/normalise.h"
#include "kernels/own/bind.h"
#include "kernels/own/divider.h"

namespace ddlbench::kernels::own {

/// All elements of a pack belong to the same channel.
template <class Real, class To, int width>
struct NormaliseBytesBody {
  NormalisePoints<Real> points;
  Divider plane, channels;
  const std::uint8_t* x;
  To* y;
  std::int64_t size;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_pack<width>(team, size, [&](auto n, std::int64_t i) {
      const NormalisePoint<Real> point = points.of(channels.remainder(plane.quotient(i)));
      const auto bytes = *reinterpret_cast<const Pack<std::uint8_t, n>*>(x + i);
      Floats<n> values;
      for (int k = 0; k < n; ++k) values.of[k] = point(bytes.of[k]);
      store<n>(y + i, values);
    });
  }
};

/// The width of packs is the vector width of the output, so that both the loads and the stores of a warp are
/// contiguous. If each thread loaded 16 bytes, the stores of neighbouring threads would be 64 bytes apart.
template <class Launcher, class Real, class To>
void launch_normalise(const Launcher& launcher, const NormaliseSizes& z, const NormalisePoints<Real>& points,
                      const std::uint8_t* x, To* y) {
  constexpr int wide = vector_width<To>;
  const bool vectors =
      aligned({y}) && reinterpret_cast<std::uintptr_t>(x) % wide == 0 && (z.channels == 1 || z.inner % wide == 0);
  with_width<To>(vectors, [&](auto width) {
    launcher.items("normalise", items_of(z.elements, width),
                   NormaliseBytesBody<Real, To, decltype(width)::value>{points, divider_of(z.inner),
                                                                        divider_of(z.channels), x, y, z.elements});
  });
}

std::unique_ptr<Kernel> bind_normalise(const Binding& binding, const auto& launcher) {
  const NormaliseSizes z = sizes_of_normalise(binding);
  return with_storage(binding.outputs[0].dtype, [&]<class To>(StorageTag<To>) {
    return with_points(attributes_of<graph::Normalise>(binding).normalisation,
                       [&](const auto& points) -> std::unique_ptr<Kernel> {
                         return make_kernel(binding, [=](const Arguments& a) {
                           launch_normalise(launcher, z, points, input_of<std::uint8_t>(a, 0), output_of<To>(a, 0));
                         });
                       });
  });
}

}  // namespace ddlbench::kernels::own
