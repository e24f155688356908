#pragma once

#include "graph/ops/cast.h"
#include "kernels/own/bind.h"
#include "kernels/sizes/norm.h"

namespace ddlbench::kernels::own {

template <class From, class To, int width>
struct CastBody {
  const From* x;
  To* y;
  std::int64_t size;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_pack<width>(team, size, [&](auto n, std::int64_t i) { store<n>(y + i, load<n>(x + i), accumulate); });
  }
};

/// The width of packs is the vector width of the wider type.
template <class Launcher, class From, class To>
void launch_cast(const Launcher& launcher, const char* name, const From* x, To* y, std::int64_t size, bool accumulate) {
  using Wider = std::conditional_t<(sizeof(From) > sizeof(To)), From, To>;
  with_width<Wider>(aligned({x, y}), [&](auto width) {
    launcher.items(name, items_of(size, width), CastBody<From, To, decltype(width)::value>{x, y, size, accumulate});
  });
}

std::unique_ptr<Kernel> bind_cast(const Binding& binding, const auto& launcher) {
  const auto size = size_of_cast(binding);
  return with_storage(binding.inputs[0].dtype, [&](auto from) {
    return with_storage(binding.outputs[0].dtype, [&](auto to) -> std::unique_ptr<Kernel> {
      using From = typename decltype(from)::type;
      using To = typename decltype(to)::type;
      return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
        launch_cast(launcher, "cast", input_of<From>(a, 0), output_of<To>(a, 0), size, accumulate);
      });
    });
  });
}

}  // namespace ddlbench::kernels::own
