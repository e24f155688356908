#pragma once

#include <cmath>
#include <memory>

#include "graph/host_device.h"
#include "graph/ops/loss_scale.h"
#include "graph/scalars.h"
#include "kernels/binding.h"

namespace ddlbench::kernels {

/// Returns the loss scaler after a step whose gradients have this squared norm. Shared by all devices.
DDLBENCH_HOST_DEVICE inline graph::LossScaler next_scaler(graph::LossScaler scaler, float squared_norm,
                                                          int growth_interval) {
  using Scaling = graph::LossScaling;
  const bool overflowed = !(squared_norm - squared_norm == 0);
  scaler.updates += overflowed ? 0.0F : 1.0F;
  scaler.skipped += overflowed ? 1.0F : 0.0F;
  if (growth_interval == 0) return scaler;
  scaler.steady_steps = overflowed ? 0.0F : scaler.steady_steps + 1;
  if (overflowed) {
    scaler.scale = std::fmax(scaler.scale / Scaling::factor, Scaling::smallest);
  } else if (scaler.steady_steps >= static_cast<float>(growth_interval)) {
    scaler.scale = std::fmin(scaler.scale * Scaling::factor, Scaling::largest);
    scaler.steady_steps = 0;
  }
  return scaler;
}

/// Rejects a binding that is not a valid update of a loss scale (InputError).
void check_loss_scale_update(const Binding& binding);

/// Binds the update on a CPU.
std::unique_ptr<Kernel> bind_loss_scale_update(const Binding& binding);

}  // namespace ddlbench::kernels
