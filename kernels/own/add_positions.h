#pragma once

#include "kernels/own/bind.h"
#include "kernels/own/divider.h"
#include "kernels/sizes/transformer.h"

namespace ddlbench::kernels::own {

/// y = x + p, where p is repeated for each sample. The size of a sample is a multiple of `width`.
template <class T, int width>
struct AddPositionsBody {
  Divider sample;
  const T* x;
  const T* p;
  T* y;
  std::int64_t size;
  bool accumulate;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, size / width, [&](std::int64_t item) {
      const std::int64_t i = item * width;
      auto values = load<width>(x + i);
      const auto positions = load<width>(p + sample.remainder(i));
      for (int k = 0; k < width; ++k) values.of[k] += positions.of[k];
      store<width>(y + i, values, accumulate);
    });
  }
};

std::unique_ptr<Kernel> bind_add_positions(const Binding& binding, const auto& launcher) {
  const auto z = sizes_of_add_positions(binding, Storage::any_float);
  const Divider sample = divider_of(z.elements);
  return with_storage(binding.inputs[0].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, [=, accumulate = binding.accumulate](const Arguments& a) {
      const T *x = input_of<T>(a, 0), *p = input_of<T>(a, 1);
      T* y = output_of<T>(a, 0);
      const std::int64_t size = z.samples * z.elements;
      with_width<T>(z.elements % vector_width<T> == 0 && aligned({x, p, y}), [&](auto width) {
        const AddPositionsBody<T, decltype(width)::value> body{sample, x, p, y, size, accumulate};
        launcher.items("add_positions", size / width, body);
      });
    });
  });
}

}  // namespace ddlbench::kernels::own
