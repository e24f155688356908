#pragma once

#include "kernels/functors/loss_scale.h"
#include "kernels/own/bind.h"

/// The scale is read and written in device memory, so that a recorded step uses its current value.
namespace ddlbench::kernels::own {

struct LossScaleUpdateBody {
  const float* squared_norm;
  const graph::LossScaler* scaler;
  graph::LossScaler* next;
  int growth_interval;

  DDLBENCH_DEVICE void operator()(auto& team) const {
    each_index(team, 1, [&](std::int64_t) { *next = next_scaler(*scaler, *squared_norm, growth_interval); });
  }
};

std::unique_ptr<Kernel> bind_loss_scale_update(const Binding& binding, const auto& launcher) {
  check_loss_scale_update(binding);
  const int interval = attributes_of<graph::LossScaleUpdate>(binding).growth_interval;
  return make_kernel(binding, [=](const Arguments& a) {
    const LossScaleUpdateBody body{input(a, 0), input_of<graph::LossScaler>(a, 1), output_of<graph::LossScaler>(a, 0),
                                   interval};
    launcher.items("loss_scale_update", 1, body);
  });
}

}  // namespace ddlbench::kernels::own
