#pragma once

#include <limits>

#include "kernels/functors/readiness.h"
#include "kernels/own/bind.h"
#include "kernels/sizes/readiness.h"

namespace ddlbench::kernels::own {

struct MarkReadyBody {
  ReadinessMark mark;
  std::uint8_t* marks;
  std::int64_t tensors;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, tensors, [&](std::int64_t i) { marks[i] = mark(i); });
  }
};

std::unique_ptr<Kernel> bind_mark_ready(const Binding& binding, const auto& launcher) {
  const graph::MarkReady& op = checked_mark_ready(binding);
  const ReadinessMark mark{op.ready.begin, op.ready.end};
  return make_kernel(binding, [=, tensors = op.tensors](const Arguments& a) {
    launcher.items("mark_ready", tensors, MarkReadyBody{mark, output_of<std::uint8_t>(a, 0), tensors});
  });
}

template <class T>
struct ConfirmReadyBody {
  ReadyOnce ready;
  const T* x;
  T* y;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    const int missing = team.reduce(Sum{}, [&](int thread) {
      int count = 0;
      for (std::int64_t i = thread; i < ready.tensors; i += team.threads()) count += ready(i) ? 0 : 1;
      return count;
    });
    team.each([&](int thread) {
      if (thread == 0) *y = missing == 0 ? *x : from_f32<T>(std::numeric_limits<float>::quiet_NaN());
    });
  }
};

std::unique_ptr<Kernel> bind_confirm_ready(const Binding& binding, const auto& launcher) {
  const std::int64_t cycles = cycles_of_confirm_ready(binding);
  const std::int64_t tensors = attributes_of<graph::ConfirmReady>(binding).tensors;
  return with_storage(binding.inputs[1].dtype, [&]<class T>(StorageTag<T>) {
    return make_kernel(binding, [=](const Arguments& a) {
      const ReadyOnce ready{input_of<std::uint8_t>(a, 0), cycles, tensors};
      launcher.blocks("confirm_ready", 1, ConfirmReadyBody<T>{ready, input_of<T>(a, 1), output_of<T>(a, 0)});
    });
  });
}

}  // namespace ddlbench::kernels::own
